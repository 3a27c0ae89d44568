"""`python -m wheelproof.tlc java | jar`: print the Java or jar that is found; exit code 4 if none.

The set-up calls it, and installs Java or the jar if it is missing.
"""

import sys

from wheelproof.errors import UsageError, WheelproofError
from wheelproof.tlc import jar, java


def main(arguments: list[str]) -> int:
    try:
        match arguments:
            case ["java"]:
                runtime = java.locate()
                print(f"Java {runtime.version} ({runtime.origin}): {runtime.executable}")
            case ["jar"]:
                tlc = jar.locate()
                print(f"TLC ({tlc.origin}, {'pinned' if tlc.pinned else 'unpinned'}): {tlc.path}")
            case _:
                raise UsageError("python -m wheelproof.tlc takes one argument: java or jar.")
    except WheelproofError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
