"""Operations whose locks are the callers': which lock is which must be the scenario's."""

from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from wheelproof.graph import reduced
from wheelproof.jvm import product
from wheelproof.jvm.values import Encoder

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).resolve().parents[3]
BINDING = bindings()["delayed_operation_try_once"]
MECHANISM = mechanisms()["delayed_operation"]
RELEASE = BINDING.releases[0]


def compared(jvm, **changes):
    """The classes in a changed scenario beside the model of the scenario itself."""
    program = MECHANISM.scenarios["two_groups"]
    graph = reduced.reduce(MECHANISM.model("two_groups"), MECHANISM.silent)
    jvm.load(BINDING)
    jvm.begin(BINDING, {**program, **changes})
    found = jvm.explore(2_000, 60)
    return product.compare(found, graph, reduced.rows(graph), Encoder(graph.model, program))


def test_two_operations_with_the_locks_of_two_groups_are_the_model(jvm):
    made = compared(jvm)
    assert made.difference is None and not made.uncovered
    assert made.figures["compared_edges"] == made.figures["model_edges"] > 100


@pytest.mark.parametrize(
    ("changes", "label", "message"),
    [
        ({"guard": {}}, "O1", "lock is "),
        ({"outer_of": {"o": "h", "p": "g"}}, "D2", "outer is "),
        ({"locking": []}, "D1", "in the model at D2"),
    ],
)
def test_other_locks_are_a_difference(jvm, changes, label, message):
    made = compared(jvm, **changes)
    assert made.difference is not None and message in made.difference.message
    assert made.difference.schedule[-1][1] == label
