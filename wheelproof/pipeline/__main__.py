"""`python -m wheelproof.pipeline java`: prints the Java that Spark would run on; exit code 4
without. The set-up asks this way."""

import sys

from wheelproof.errors import UsageError, WheelproofError
from wheelproof.pipeline import java


def main(arguments: list[str]) -> int:
    try:
        if arguments != ["java"]:
            raise UsageError("python -m wheelproof.pipeline takes one argument: java.")
        runtime = java.locate()
        print(
            f"Java {runtime.version} ({runtime.origin}{', trimmed' if runtime.trimmed else ''}): "
            f"{runtime.home}"
        )
    except WheelproofError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
