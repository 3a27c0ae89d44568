"""Conditions for timers, against histories that are known, and against trying all orders."""

import random
from dataclasses import replace

import pytest

from tests.impl.timer_conditions import Action, OnePoint, ThreePoints, TwoPoints, refusal_of
from wheelproof.linearizability.histories import Operation

DELAYS = {"a": 5, "b": 5}


def history(text):
    """``"t1 add a | t2 size"`` calls, ``"t1 ."`` returns, ``"t2 . 1"`` returns 1.

    A thread has one operation open. The moments are the numbers of the parts.
    """
    operations, open_ = [], {}
    for moment, item in enumerate(text.split(" | ")):
        thread, name, *rest = item.split()
        if name == ".":
            result = int(rest[0]) if rest else None
            operations.append(replace(open_.pop(thread), returned=moment, result=result))
        else:
            open_[thread] = Operation(moment, thread, Action(name, *rest), moment)
    return operations + list(open_.values())


# -- known histories


@pytest.mark.parametrize(
    "text, refuted_at",
    [
        ("t1 add a | t1 . | t2 size | t2 . 1", None),
        ("t1 add a | t1 . | t2 size | t2 . 0", 3),
        ("t1 add a | t2 size | t1 . | t2 . 0", None),
        ("t1 add a | t2 size | t2 . 1 | t1 .", None),
        ("t2 size | t2 . 1 | t1 add a | t1 .", 1),
        ("t1 add a | t2 size | t2 . 1 | t2 size | t2 . 0 | t1 .", 4),
        ("t1 add a | t2 size | t2 . 0 | t2 size | t2 . 1 | t1 .", None),
        ("t1 add a | t1 . | t1 cancel a | t2 size | t3 size | t2 . 0 | t3 . 1 | t1 .", None),
        ("t1 add a | t1 . | t1 cancel a | t2 size | t2 . 0 | t3 size | t3 . 1 | t1 .", 6),
        ("t1 add a | t2 size | t2 . 1", None),
        ("t1 add a | t2 size | t2 . 2", 2),
    ],
)
def test_a_known_history(text, refuted_at):
    refusal = refusal_of(history(text), OnePoint(DELAYS))
    assert (refusal and refusal.operation.returned) == refuted_at


READD = "t1 add a | t1 . | t1 add a | t2 size | t2 . 0 | t1 ."
LEFT = "t1 add a | t2 cancel a | t2 . | t1 . | t2 cancel a | t2 . | t2 size | t2 . 1"


@pytest.mark.parametrize(
    "text, explained_by", [(READD, (TwoPoints, ThreePoints)), (LEFT, (ThreePoints,))]
)
def test_how_many_points_a_history_takes(text, explained_by):
    for condition in (OnePoint, TwoPoints, ThreePoints):
        assert (refusal_of(history(text), condition(DELAYS)) is None) == (
            condition in explained_by
        ), condition


def test_a_refusal_says_what_was_possible():
    refusal = refusal_of(history("t1 add a | t1 . | t2 add b | t3 size | t3 . 3"), OnePoint(DELAYS))
    assert str(refusal) == "t3 returns from size(): 3; OnePoint explains 1 or 2"


# -- all orders


def drawn(chance, operations):
    """Calls and returns at random places, and what a timer may return, or may not."""
    names = [("add", chance.choice("ab")), ("cancel", chance.choice("ab")), ("size",), ("size",)]
    done, open_ = [], []
    left = [(number, Action(*chance.choice(names))) for number in range(operations)]
    for moment in range(2 * operations):
        if left and (not open_ or chance.random() < 0.5):
            number, action = left.pop()
            open_.append(Operation(number, f"t{number}", action, moment))
        else:
            operation = open_.pop(chance.randrange(len(open_)))
            result = chance.choice((0, 1, 1, 2)) if operation.call.name == "size" else None
            done.append(replace(operation, returned=moment, result=result))
    return done


def orders(operations, points):
    """Every order of the operations' points in which each is between its call and its return."""

    def merged(left):
        waiting = [operation for operation in operations if left[operation.number]]
        if not waiting:
            yield ()
        for operation in waiting:
            if all(operation.called < other.returned for other in waiting):
                less = {operation.number: left[operation.number] - 1}
                for rest in merged(left | less):
                    yield operation, *rest

    return merged({operation.number: points(operation) for operation in operations})


def by_trying_all_orders(operations):
    """Linearizable, by its definition: some order of whole operations does what a dict does."""
    for order in orders(operations, lambda operation: 1):
        waiting, agrees = {}, True
        for operation in order:
            if operation.call.name == "add":
                waiting[operation.call.task] = True
            elif operation.call.name == "cancel":
                waiting.pop(operation.call.task, None)
            else:
                agrees = agrees and operation.result == len(waiting)
        if agrees:
            return True
    return False


def by_trying_all_orders_of_three_points(operations):
    """An add replaces, checks, links: the same for ``ThreePoints``."""
    for order in orders(operations, lambda operation: 3 if operation.call.name == "add" else 1):
        current, linked, passed, agrees = {}, set(), set(), True
        taken = dict.fromkeys(range(len(operations)), 0)
        for operation in order:
            number, task = operation.number, operation.call.task
            taken[number] += 1
            if operation.call.name == "size":
                agrees = agrees and operation.result == len(linked)
            elif operation.call.name == "cancel" or taken[number] == 1:
                linked.discard(current.pop(task, None))
                if operation.call.name == "add":
                    current[task] = number
            elif taken[number] == 2:
                if current.get(task) == number:
                    passed.add(number)
            elif number in passed:
                linked.add(number)
        if agrees:
            return True
    return False


def explains(condition):
    return lambda operations: refusal_of(operations, condition(DELAYS)) is None


def without_real_time(operations):
    """A mutant of the checker: everything may happen at any time."""
    return explains(OnePoint)(
        [replace(operation, called=0, returned=1_000) for operation in operations]
    )


def in_the_order_of_returns(operations):
    """A mutant of the checker: what returns first happened first."""
    return explains(OnePoint)(
        [replace(operation, called=operation.returned - 0.5) for operation in operations]
    )


COMPARISONS = {
    OnePoint: (by_trying_all_orders, 5),
    ThreePoints: (by_trying_all_orders_of_three_points, 4),
}


def disagreements(checker, oracle, operations, count=300):
    """Of drawn histories: those on which the two differ, and how many the oracle explains."""
    histories = [
        drawn(random.Random(seed), random.Random(seed).randint(2, operations))
        for seed in range(count)
    ]
    explained = [oracle(events) for events in histories]
    return [
        events
        for events, is_explained in zip(histories, explained)
        if checker(events) != is_explained
    ], sum(explained)


@pytest.mark.parametrize("condition", COMPARISONS)
def test_the_checker_says_what_trying_all_orders_says(condition):
    different, explained = disagreements(explains(condition), *COMPARISONS[condition])
    assert not different, "\n".join(map(str, different[0]))
    assert 50 < explained < 250, "both kinds are drawn"


@pytest.mark.parametrize(
    "condition, checker",
    [
        (OnePoint, without_real_time),
        (OnePoint, in_the_order_of_returns),
        (OnePoint, explains(ThreePoints)),
        (ThreePoints, explains(TwoPoints)),
    ],
    ids=["without real time", "in the order of returns", "more points", "fewer points"],
)
def test_that_comparison_sees_another_checker(condition, checker):
    assert disagreements(checker, *COMPARISONS[condition], count=1500)[0]
