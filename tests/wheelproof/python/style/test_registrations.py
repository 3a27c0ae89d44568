"""Classes that are registered with an abstract class while an implementation runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

import pytest

from wheelproof.python.findings import ExploreError
from wheelproof.python.style.definitions import Definitions


class Before:
    pass


class Meta(type):
    pass


def definitions(monkeypatch):
    """Those of a module, and an abstract class that it uses."""

    class Abstract(Sequence):
        pass

    module = ModuleType("impl_of_a_test")
    module.Sequence, module.type = Abstract, type
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return Definitions([module]), Abstract


def of_later_module(monkeypatch):
    module = ModuleType("loaded_later")
    exec("class Row: pass", vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module.Row


def of_foreign_metaclass(monkeypatch):
    return Meta("java.util.List", (), {})


def of_function(monkeypatch):
    return type("Kept", (), {})


def of_function_that_claims_a_module(monkeypatch):
    return type("Row", (), {"__module__": "loaded_later"})


def of_metaclass_of_function(monkeypatch):
    return type("Made", (type,), {})("Kept", (), {})


def of_earlier_module(monkeypatch):
    return Before


@pytest.mark.parametrize("registered", [of_later_module, of_foreign_metaclass])
def test_a_class_of_a_library_that_is_loaded_meanwhile_is_no_change(monkeypatch, registered):
    noted, abstract = definitions(monkeypatch)
    cls = registered(monkeypatch)
    abstract.register(cls)
    noted.check()


@pytest.mark.parametrize(
    "registered",
    [of_function, of_function_that_claims_a_module, of_metaclass_of_function, of_earlier_module],
)
def test_a_class_that_an_implementation_could_make_is_a_change(monkeypatch, registered):
    noted, abstract = definitions(monkeypatch)
    cls = registered(monkeypatch)
    abstract.register(cls)
    with pytest.raises(ExploreError, match="attribute of impl_of_a_test.Sequence was changed"):
        noted.check()
