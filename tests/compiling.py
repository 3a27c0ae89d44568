"""The modules that tests import, compiled by several processes, each of which takes a share.

Every process of a run imports almost all of them, at the same time. On a fresh clone each process
would compile every module, and would look through all of its text for the numbers and strings that
Hypothesis draws.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

from hypothesis.internal.constants_ast import constants_from_module, is_local_module_file

ROOT = Path(__file__).parents[1]


def files(root: Path = ROOT) -> list[Path]:
    """The modules of a project's packages and tests, without those that pytest rewrites."""
    packages = [each.parent for each in root.glob("*/__init__.py")]
    return sorted(
        file
        for folder in (*packages, root / "tests")
        for file in folder.rglob("*.py")
        if not file.name.startswith("test_") and file.name != "conftest.py"
    )


def compile_all(chosen: Iterable[Path]) -> None:
    """Compile what is not compiled, and keep what Hypothesis draws of each. A text that is no
    module is left to those who import it."""
    for file in chosen:
        try:
            SourceFileLoader(file.stem, str(file)).get_code(file.stem)
        except SyntaxError:
            continue
        if is_local_module_file(str(file)):
            module = ModuleType(file.stem)
            module.__file__ = str(file)
            constants_from_module(module)
