"""``wheelproof translate``: PlusCal's translations are made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wheelproof.errors import UsageError


def translate(
    spec: Annotated[
        list[Path], typer.Argument(metavar="SPEC", help="TLA+ modules with PlusCal algorithms.")
    ],
) -> None:
    """Translate PlusCal anew, in place."""
    from wheelproof.tlc import translation

    for module in spec:
        state = translation.state(module)
        if state is translation.State.NO_ALGORITHM:
            raise UsageError(f"{module} has no PlusCal algorithm.", "Name a module that has one.")
        is_new = translation.retranslate(module)
        print(
            f"{module}: "
            + (f"translated anew, it was {state}" if is_new else "the translation was current")
        )
