"""`python -m wheelproof` is the command `wheelproof`.

Signals are answered before anything is imported: a Ctrl-C in the first second has nothing to clean
up, and no traceback to show.
"""

import os
import signal
import sys
from types import FrameType

WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "ended by SIGTERM"}
"""Signal that ends a command -> its message."""


def leave(number: int, _frame: FrameType | None = None) -> None:
    """End the process at once with the code that a shell has for a signal."""
    os.write(2, f"wheelproof: {WORDS[signal.Signals(number)]}\n".encode())
    os._exit(128 + number)


def main() -> None:
    """The entry point of the command."""
    if sys.platform == "win32":
        from wheelproof.errors import WINDOWS

        os.write(2, f"wheelproof: {WINDOWS}\n".encode())
        sys.exit(4)
    for number in WORDS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, leave)
    from wheelproof import cli

    cli.main()


if __name__ == "__main__":
    main()
