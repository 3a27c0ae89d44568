"""The implementation with one text changed, and the tests that then run on it: what shows that a
check can fail.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from tests.claims.rows import ROOT

FRESH = ("impl", "tests.impl", "tests.claims.test_")
"""Modules that are imported anew: the implementation, and the tests that hold its classes."""

Changes = tuple[tuple[str, str], ...]
"""(old, new) texts of a module; each old one must be there once."""


def is_fresh(name: str) -> bool:
    return any(
        name == prefix or name.startswith(f"{prefix}." if prefix[-1] != "_" else prefix)
        for prefix in FRESH
    )


def loaded(name: str, changes: Changes) -> ModuleType:
    """The module ``impl.NAME`` from its changed text, put where an import finds it."""
    file = ROOT / "impl" / f"{name}.py"
    text = file.read_text()
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
        text = text.replace(old, new)
    package = importlib.import_module("impl")
    module = ModuleType(f"impl.{name}")
    module.__file__, module.__package__ = str(file), "impl"
    sys.modules[module.__name__] = module
    exec(compile(text, str(file), "exec"), module.__dict__)
    setattr(package, name, module)
    return module


@contextmanager
def planted(name: str, *changes: tuple[str, str]) -> Iterator[None]:
    """Whatever is imported inside runs on ``impl`` with these changes of the module ``NAME``;
    nothing is left of it afterwards.
    """
    before = {module: sys.modules.pop(module) for module in list(sys.modules) if is_fresh(module)}
    try:
        loaded(name, changes)
        yield
    finally:
        for module in [module for module in sys.modules if is_fresh(module)]:
            del sys.modules[module]
        sys.modules.update(before)
        for module, object_ in before.items():
            parent, _, child = module.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], child, object_)


def module_of(file: str) -> ModuleType:
    """A file of tests as a module, imported by its name below ``tests``."""
    return importlib.import_module(".".join(Path("tests", file).with_suffix("").parts))
