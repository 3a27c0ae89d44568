"""The checker of histories, against all orders of random ones, and faults in the checker."""

import random
import sys
import types
from collections import Counter
from pathlib import Path

import pytest

from tests.wheelproof.linearizability import oracle
from wheelproof.linearizability import conditions, histories
from wheelproof.linearizability.histories import Operation

HISTORIES = 3_000
BY_NIGHT = 100_000
SMALL = 6
FREE = 0.3
"""The share of free operations in each fourth history."""

CONDITIONS = {
    conditions.Linearizable: lambda operations: oracle.is_linearizable_order,
    conditions.SequentiallyConsistent: lambda operations: oracle.is_program_order,
    conditions.QuiescentlyConsistent: oracle.quiescent_order,
}


def checked(model, operations, condition, module=histories, specification=None):
    before = condition.before(operations)
    specification = specification or oracle.AsSpecification(model)
    return module.explain(operations, before, specification).fits


def compared(seeds, most, module=histories, linearizable=conditions.Linearizable):
    """How many histories are linearizable and how many are not, and the first difference."""
    verdicts = Counter()
    for seed in seeds:
        model = list(oracle.MODELS)[seed % len(oracle.MODELS)]
        operations = oracle.drawn(random.Random(seed), model, most, FREE * (seed % 4 == 0))
        fits = checked(model, operations, linearizable(), module)
        if fits != oracle.by_interleaving(model, operations):
            return verdicts, (seed, operations)
        verdicts[fits] += 1
    return verdicts, None


def test_it_finds_an_order_where_there_is_one():
    verdicts, difference = compared(range(HISTORIES), 9)
    assert difference is None
    assert min(verdicts.values()) > HISTORIES / 5, "both verdicts are usual"


@pytest.mark.nightly
def test_it_finds_an_order_where_there_is_one_at_length():
    _, difference = compared(range(HISTORIES, HISTORIES + BY_NIGHT), 9)
    assert difference is None


@pytest.mark.parametrize("condition", CONDITIONS)
def test_each_condition_keeps_what_its_definition_keeps(condition):
    verdicts = Counter()
    for seed in range(500):
        model = list(oracle.MODELS)[seed % len(oracle.MODELS)]
        operations = oracle.drawn(random.Random(seed), model, SMALL, FREE * (seed % 4 == 0))
        expected = oracle.by_definition(model, operations, CONDITIONS[condition](operations))
        assert checked(model, operations, condition()) == expected, (seed, operations)
        verdicts[expected] += 1
    assert min(verdicts.values()) > 50


def test_conditions_differ():
    late = [Operation(0, 1, ("write", 1), 1, 2), Operation(1, 2, ("read",), 3, 4, 0)]
    verdicts = [checked("register", late, condition()) for condition in CONDITIONS]
    assert verdicts == [False, True, False]
    within = [Operation(2, 3, ("read",), 0, 5, 1), *late]
    assert [checked("register", within, c()) for c in CONDITIONS] == [False, True, True]


@pytest.mark.parametrize("condition", [conditions.Linearizable, conditions.SequentiallyConsistent])
def test_calls_of_a_thread_at_the_same_moment_keep_their_order(condition):
    """Calls without a visible step have the same moment."""
    calls = [Operation(0, 1, ("write", 1), 3, 3), Operation(1, 1, ("read",), 3, 3, 0)]
    assert not checked("register", calls, condition())
    other = [Operation(0, 1, ("write", 1), 3, 3), Operation(1, 2, ("read",), 3, 3, 0)]
    assert checked("register", other, condition())


def test_a_point_that_does_nothing_changes_no_verdict():
    for seed in range(500):
        model = list(oracle.MODELS)[seed % len(oracle.MODELS)]
        operations = oracle.drawn(random.Random(seed), model, 9)
        condition = conditions.Linearizable()
        assert checked(model, operations, condition) == checked(
            model, operations, condition, specification=oracle.InTwoPoints(model)
        )


def test_dead_ends_say_what_would_have_been_returned():
    operations = [Operation(0, 1, ("add",), 1, 2, 1), Operation(1, 2, ("read",), 3, 4, 0)]
    before = conditions.Linearizable().before(operations)
    explanation = histories.explain(operations, before, oracle.AsSpecification("counter"))
    assert explanation.dead_ends == (histories.DeadEnd((0,), ((1, 1),)),)


FAULTS = {
    "an operation may come before those that returned": (
        "self._before[index] & ~mask",
        "False",
    ),
    "a situation is its places alone": (
        "if situation in self._seen:\n                continue\n"
        "            self._seen.add(situation)",
        "if situation[1] in self._seen:\n                continue\n"
        "            self._seen.add(situation[1])",
    ),
    "results are not compared": ("return operation.result == result", "return True"),
    "pending operations must end": (
        "operation.is_pending or isinstance(place, Done)",
        "isinstance(place, Done)",
    ),
    "pending operations do nothing": (
        "if isinstance(place, Done) or (",
        "if self._operations[index].is_pending or isinstance(place, Done) or (",
    ),
    "the first dead end is the last": (
        "paths.extend(reversed(following))",
        "paths.extend(following[:1])",
    ),
    "the results of pending operations count": (
        "fits = operation.is_pending or operation.is_free",
        "fits = operation.is_free",
    ),
    "the results of free operations count": (
        "fits = operation.is_pending or operation.is_free",
        "fits = operation.is_pending",
    ),
    "free operations do something": ("if operation.is_free and place == CALLED:", "if False:"),
    "free operations do nothing": (
        "for after, place_after in self._specification.points(state, operation, place):",
        "for after, place_after in () if operation.is_free else "
        "self._specification.points(state, operation, place):",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_checker_is_found(fault):
    old, new = FAULTS[fault]
    source = Path(histories.__file__).read_text(encoding="utf-8")
    assert source.count(old) == 1
    module = types.ModuleType("wheelproof.linearizability.faulty")
    sys.modules[module.__name__] = module  # where dataclasses look
    try:
        exec(compile(source.replace(old, new), "faulty", "exec"), vars(module))
    finally:
        del sys.modules[module.__name__]
    module.Done = histories.Done
    _, difference = compared(range(HISTORIES), 9, module)
    assert difference is not None


def test_a_fault_in_a_condition_is_found():
    class Strict(conditions.Linearizable):
        def is_before(self, one, other):
            return one.called < other.called

    class Lax(conditions.Linearizable):
        def is_before(self, one, other):
            return one.thread == other.thread and one.returned < other.called

    for condition in (Strict, Lax):
        assert compared(range(HISTORIES), 9, linearizable=condition)[1] is not None
