"""``python -m wheelproof.certificates OBLIGATION [CERTIFICATE]``: check one certificate.

Without the second file it is the one beside the obligation that ends in ``.alethe``. The exit code
is 0 where it is accepted, 1 where it is refused, 2 where a file cannot be read.
"""

from __future__ import annotations

import sys
from pathlib import Path

from wheelproof.certificates.checker import check
from wheelproof.certificates.expressions import Refused


def main(arguments: list[str]) -> int:
    """Print the checked rules, or the line, step and rule that are refused; the exit code."""
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    obligation = Path(arguments[0])
    certificate = Path(arguments[1]) if arguments[1:] else obligation.with_suffix(".alethe")
    try:
        texts = [file.read_text(encoding="utf-8") for file in (obligation, certificate)]
    except (OSError, UnicodeDecodeError) as error:
        print(f"certificates: {error}", file=sys.stderr)
        return 2
    try:
        result = check(*texts)
    except Refused as error:
        print(f"refused: {error}")
        return 1
    rules = sorted(result.rules.items(), key=lambda pair: (-pair[1], pair[0]))
    print(f"accepted: {result.steps} steps")
    print("\n".join(f"{many:6} {rule}" for rule, many in rules))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
