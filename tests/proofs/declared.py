"""The project's theorems as they are declared: loading all theories takes seconds."""

from functools import cache
from pathlib import Path

from wheelproof.checks import prove

ROOT = Path(__file__).resolve().parents[2]


@cache
def theorems() -> tuple[prove.Declared, ...]:
    return tuple(prove.declared(ROOT))
