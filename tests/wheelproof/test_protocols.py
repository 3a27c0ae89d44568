"""Models and harnesses of all mechanisms have the members that the tool's protocols list."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.found import mechanisms
from wheelproof import protocols

ROOT = Path(__file__).parents[2]
MECHANISMS = mechanisms()


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


TYPED = """
from wheelproof.protocols import ModelInPlace, Scenario, State
{imports}

{functions}
"""


def typed(folder, imports, functions):
    """What mypy says of functions that return models."""
    place = folder / "typed.py"
    place.write_text(TYPED.format(imports="\n".join(imports), functions="\n".join(functions)))
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", folder / "cache"]
    ended = subprocess.run(
        [*command, place], cwd=ROOT, capture_output=True, text=True, timeout=1200
    )
    assert ended.returncode in (0, 1), ended.stderr
    return [line for line in ended.stdout.splitlines() if "error" in line]


@pytest.mark.nightly
def test_models_have_the_types_of_the_protocol(tmp_path):
    """Mypy accepts each as a ModelInPlace, and none of which one member has another type."""
    by_hand = [name for name, mechanism in MECHANISMS.items() if mechanism.by_hand]
    imports = [f"import model.{name}" for name in by_hand]
    functions = [
        f"def {name}(s: Scenario) -> ModelInPlace: return model.{name}.Model(s)" for name in by_hand
    ]
    assert typed(tmp_path, imports, functions) == []
    functions += [
        "class Odd(model.atomic.Model):",
        "    def final(self, state: State) -> str: return 'no'  # type: ignore[override]",
        "def odd(s: Scenario) -> ModelInPlace: return Odd(s)",
    ]
    (refused,) = typed(tmp_path, imports, functions)
    assert "[return-value]" in refused and '"Odd"' in refused
