"""Models and harnesses of all mechanisms have the members that the tool's protocols list."""

import importlib
from pathlib import Path
from types import SimpleNamespace

import pytest

from wheelproof import project, protocols

ROOT = Path(__file__).parents[2]
MECHANISMS = project.find(ROOT)


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_has_the_members_of_the_protocols(name):
    mechanism = MECHANISMS[name]
    assert isinstance(mechanism.model_module, protocols.ModelModule)
    scenario = next(iter(mechanism.scenarios))
    assert isinstance(mechanism.model(scenario), protocols.ModelInPlace)
    assert isinstance(importlib.import_module(f"harness.{name}"), protocols.HarnessModule)


@pytest.mark.parametrize("missing", ["successors", "AUXILIARY", "tla"])
def test_an_object_that_lacks_a_member_is_no_model(missing):
    members = {name: print for name in dir(protocols.Model) if not name.startswith("_")}
    members["AUXILIARY"] = frozenset()
    assert isinstance(SimpleNamespace(**members), protocols.Model)
    del members[missing]
    assert not isinstance(SimpleNamespace(**members), protocols.Model)
