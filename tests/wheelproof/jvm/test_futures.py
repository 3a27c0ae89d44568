"""A call of a CompletableFuture is one step, with the outcomes that the JDK's own code has."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.wheelproof.jvm.explore.driving import PROGRAMS, drive
from tests.wheelproof.jvm.small import explored, loaded
from wheelproof.jvm.declaration import Binding
from wheelproof.jvm.process import ENDED

HERE = Path(__file__).parent
OPERATIONS = {
    "CompletesBesideListener": ("complete", "listen"),
    "FailsBesideLook": ("fail", "listen", "look"),
    "TwoListen": ("complete", "listen", "listen"),
}
"""Program -> the operation of each of its threads."""

BINDING = Binding(
    name="futures",
    file=HERE / "futures.toml",
    mechanism="futures",
    releases=("source",),
    classes=("Answers",),
    harness=("FutureHarness",),
    labels={
        "C": (
            "Answers.perform:CALL CompletableFuture.complete#0",
            "Answers.perform:CALL CompletableFuture.completeExceptionally#0",
        ),
        "L": ("Answers.listen:CALL CompletableFuture.whenComplete#0",),
        "D": ("Answers.perform:CALL CompletableFuture.isDone#0",),
        "R": ("Answers.lambda$*:PUTFIELD last#0",),
        "G": ("Answers.perform:GETFIELD last#0",),
    },
)


@pytest.fixture(scope="module")
def future():
    sources = [PROGRAMS / "Answers.java", HERE / "futures" / "FutureHarness.java"]
    with loaded(BINDING, sources) as process:
        yield process


@pytest.fixture(scope="module")
def in_the_jdk():
    """Program -> its outcomes, where each access of the JDK's own code is a step."""
    return {answer["name"]: set(answer["outcomes"]) for answer in drive("outcomes", *OPERATIONS)}


def outcomes(future, operations, binding=BINDING):
    """The outcomes of all runs, each as the program writes it."""
    graph = explored(future, operations, binding)
    assert graph.complete and not graph.faults
    ends = set()
    for state in range(len(graph)):
        standings = graph.standing[state * graph.threads : (state + 1) * graph.threads]
        if all(standing % 4 == ENDED for standing in standings):
            numbers = graph.shared[graph.shared_of[state]]
            parts = [numbers[at + 1 : at + 4] for at in (0, 4, 8)]
            ends.add("".join(str(list(part)) for part in parts))
    return ends


@pytest.mark.parametrize("name", ["CompletesBesideListener", "FailsBesideLook"])
def test_a_call_as_one_step_has_the_outcomes_of_the_jdks_code(future, in_the_jdk, name):
    assert outcomes(future, OPERATIONS[name]) == in_the_jdk[name]
    assert len(in_the_jdk[name]) > 1


def test_a_future_with_two_listeners_is_refused(future, in_the_jdk):
    """In the JDK one that comes late may run the other one, which no single step does."""
    assert "[0, 3, 3][0, 1, 1][0, 0, 0]" in in_the_jdk["TwoListen"]
    graph = explored(future, OPERATIONS["TwoListen"], BINDING)
    assert not graph.complete
    assert "a CompletableFuture has 2 listeners" in graph.faults[0]


@pytest.mark.parametrize("label", ["L", "R"])
def test_without_a_step_outcomes_are_lost(future, in_the_jdk, label):
    labels = {name: sites for name, sites in BINDING.labels.items() if name != label}
    few = outcomes(future, OPERATIONS["FailsBesideLook"], replace(BINDING, labels=labels))
    assert few < in_the_jdk["FailsBesideLook"]
