"""A plugin of pytest: classes and factories that are declared linearizable are tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from wheelproof.linearizability.options import Declaration


def declared(value: object) -> Declaration | None:
    """The declaration of a test or a class, if it has one."""
    if "__linearizable__" not in getattr(value, "__dict__", {}):
        return None
    from wheelproof.linearizability import options

    return options.declaration_of(value)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Collector, name: str, obj: object
) -> pytest.Function | None:
    """A class that is declared, as a test where it is defined."""
    declaration = declared(obj) if isinstance(obj, type) else None
    module = getattr(getattr(collector, "obj", None), "__name__", "")
    if declaration is None or obj.__module__ != module:
        return None
    from wheelproof.linearizability.declaring import test_of

    function: pytest.Function = pytest.Function.from_parent(
        collector, name=name, callobj=test_of(declaration)
    )
    return function


def pytest_itemcollected(item: pytest.Item) -> None:
    """A declared test goes without the examples, which Hypothesis' plugin takes for a mistake."""
    declaration = declared(getattr(item, "obj", None))
    if declaration is not None and isinstance(item, pytest.Function):
        from wheelproof.linearizability.declaring import test_of

        item.obj = test_of(declaration)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Check a declaration."""
    declaration = declared(pyfuncitem.obj)
    if declaration is None:
        return None
    from wheelproof.linearizability import under_pytest

    under_pytest.check(pyfuncitem, declaration)
    return True
