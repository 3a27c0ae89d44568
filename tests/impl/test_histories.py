"""The checker of histories, against histories that are known, and against trying all orders."""

import random
from itertools import permutations

import pytest

from tests.impl.histories import Call, Operation, Return, refute
from tests.impl.sequential_timers import OnePoint, ThreePoints, TwoPoints

DELAYS = {"a": 5, "b": 5}


def history(text):
    """``"t1 add a | t2 size"`` calls, ``"t1 ."`` returns, ``"t2 . 1"`` returns 1.

    A thread has one operation open.
    """
    events, open_ = [], {}
    for number, item in enumerate(text.split(" | ")):
        thread, name, *rest = item.split()
        if name == ".":
            events.append(Return(open_.pop(thread), int(rest[0]) if rest else None))
        else:
            open_[thread] = Operation(number, thread, name, *rest)
            events.append(Call(open_[thread]))
    return events


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
    refusal = refute(history(text), OnePoint(DELAYS))
    assert (refusal and refusal.event) == refuted_at


READD = "t1 add a | t1 . | t1 add a | t2 size | t2 . 0 | t1 ."
LEFT = "t1 add a | t2 cancel a | t2 . | t1 . | t2 cancel a | t2 . | t2 size | t2 . 1"


@pytest.mark.parametrize(
    "text, explained_by", [(READD, (TwoPoints, ThreePoints)), (LEFT, (ThreePoints,))]
)
def test_how_many_points_a_history_takes(text, explained_by):
    for specification in (OnePoint, TwoPoints, ThreePoints):
        assert (refute(history(text), specification(DELAYS)) is None) == (
            specification in explained_by
        ), specification


def test_a_refusal_says_what_was_possible():
    refusal = refute(history("t1 add a | t1 . | t2 add b | t3 size | t3 . 3"), OnePoint(DELAYS))
    assert str(refusal) == "t3 returns from size(): 3; OnePoint explains 1 or 2"


@pytest.mark.parametrize(
    "events, says",
    [
        ([Return(Operation(0, "t", "size"), 0)], "event 0: size\\(\\) returns, and was not called"),
        (
            [Call(Operation(0, "t", "size")), Call(Operation(0, "t", "add", "a"))],
            "event 1: add\\(a\\) has the number 0 of an earlier",
        ),
    ],
)
def test_what_is_no_history_is_refused(events, says):
    with pytest.raises(ValueError, match=says):
        refute(events, OnePoint(DELAYS))


# -- all orders


def drawn(chance, operations):
    """Calls and returns at random places, and what a timer may return, or may not."""
    names = [("add", chance.choice("ab")), ("cancel", chance.choice("ab")), ("size",), ("size",)]
    events, open_ = [], []
    left = [Operation(i, f"t{i}", *chance.choice(names)) for i in range(operations)]
    while left or open_:
        if left and (not open_ or chance.random() < 0.5):
            open_.append(left.pop())
            events.append(Call(open_[-1]))
        else:
            operation = open_.pop(chance.randrange(len(open_)))
            events.append(
                Return(operation, chance.choice((0, 1, 1, 2)) if operation.name == "size" else None)
            )
    return events


def orders(events, points):
    """Every order of the operations' points in which each is between its call and its return."""
    called = {event.operation: i for i, event in enumerate(events) if isinstance(event, Call)}
    returned = {event.operation: i for i, event in enumerate(events) if isinstance(event, Return)}

    def merged(left):
        waiting = [operation for operation, count in left.items() if count]
        if not waiting:
            yield ()
        for operation in waiting:
            if all(called[operation] < returned[other] for other in waiting):
                for rest in merged(left | {operation: left[operation] - 1}):
                    yield operation, *rest

    return merged({operation: points(operation) for operation in called})


def by_trying_all_orders(events):
    """Linearizable, by its definition: some order of whole operations does what a dict does.

    The order respects real time.
    """
    results = {event.operation: event.result for event in events if isinstance(event, Return)}
    first = {event.operation: i for i, event in enumerate(events) if isinstance(event, Call)}
    last = {event.operation: i for i, event in enumerate(events) if isinstance(event, Return)}
    for order in permutations(results):
        if any(
            last[later] < first[earlier]
            for i, earlier in enumerate(order)
            for later in order[i + 1 :]
        ):
            continue
        waiting, agrees = {}, True
        for operation in order:
            if operation.name == "add":
                waiting[operation.task] = True
            elif operation.name == "cancel":
                waiting.pop(operation.task, None)
            else:
                agrees = agrees and results[operation] == len(waiting)
        if agrees:
            return True
    return False


def by_trying_all_orders_of_three_points(events):
    """An add replaces, checks, links: the same for ``ThreePoints``."""
    results = {event.operation: event.result for event in events if isinstance(event, Return)}
    for order in orders(events, lambda operation: 3 if operation.name == "add" else 1):
        current, linked, passed, agrees, taken = {}, set(), set(), True, dict.fromkeys(results, 0)
        for operation in order:
            taken[operation] += 1
            if operation.name == "size":
                agrees = agrees and results[operation] == len(linked)
            elif operation.name == "cancel" or taken[operation] == 1:
                linked.discard(current.pop(operation.task, None))
                if operation.name == "add":
                    current[operation.task] = operation
            elif taken[operation] == 2:
                if current.get(operation.task) == operation:
                    passed.add(operation)
            elif operation in passed:
                linked.add(operation)
        if agrees:
            return True
    return False


def explains(specification):
    return lambda events: refute(events, specification(DELAYS)) is None


def without_real_time(events):
    """A mutant of the checker: everything may happen at any time."""
    return explains(OnePoint)(
        [
            *(event for event in events if isinstance(event, Call)),
            *(event for event in events if isinstance(event, Return)),
        ]
    )


def in_the_order_of_returns(events):
    """A mutant of the checker: what returns first happened first."""
    returns = [event for event in events if isinstance(event, Return)]
    return explains(OnePoint)([event for one in returns for event in (Call(one.operation), one)])


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


@pytest.mark.parametrize("specification", COMPARISONS)
def test_the_checker_says_what_trying_all_orders_says(specification):
    different, explained = disagreements(explains(specification), *COMPARISONS[specification])
    assert not different, "\n".join(map(str, different[0]))
    assert 50 < explained < 250, "both kinds are drawn"


@pytest.mark.parametrize(
    "specification, checker",
    [
        (OnePoint, without_real_time),
        (OnePoint, in_the_order_of_returns),
        (OnePoint, explains(ThreePoints)),
        (ThreePoints, explains(TwoPoints)),
    ],
    ids=["without real time", "in the order of returns", "more points", "fewer points"],
)
def test_that_comparison_sees_another_checker(specification, checker):
    assert disagreements(checker, *COMPARISONS[specification], count=1500)[0]
