"""Random histories, and their verdict by definition: every order of the operations is tried."""

from dataclasses import replace
from itertools import chain, combinations, permutations

from wheelproof.linearizability.histories import LATER, Done, Operation

EMPTY, LATE = "empty", "late"


def register(state, call):
    name, *arguments = call
    return [(arguments[0], None)] if name == "write" else [(state, state)]


def counter(state, call):
    return [(state + 1, state + 1)] if call[0] == "add" else [(state, state)]


def queue(state, call):
    """``take`` waits while nothing is there, ``poll`` does not."""
    name, *arguments = call
    if name == "put":
        return [((*state, arguments[0]), None)]
    if state:
        return [(state[1:], state[0])]
    return [(state, EMPTY)] if name == "poll" else []


MODELS = {
    "register": (register, 0, [("write", 1), ("write", 2), ("read",), ("read",)]),
    "counter": (counter, 0, [("add",), ("add",), ("read",)]),
    "queue": (queue, (), [("put", 1), ("put", 2), ("take",), ("poll",)]),
}
"""Name -> what a call does to a state, the first state, the calls that are drawn."""


class AsSpecification:
    """A model as the checker takes it."""

    def __init__(self, model):
        self.step, self.initial, _ = MODELS[model]

    def points(self, state, operation, at):
        for after, result in self.step(state, operation.call):
            yield after, Done(result)


class InTwoPoints(AsSpecification):
    """The same, with a first point that does nothing."""

    def points(self, state, operation, at):
        if at == "called":
            yield state, "begun"
        else:
            yield from super().points(state, operation, at)


def drawn(chance, model, most, free=0.0):
    """A random history of at most so many operations: about half of them are linearizable.

    ``free``: the share of those whose result fits every order. Half of them do nothing.
    """
    step, state, calls = MODELS[model]
    threads = chance.randint(2, 3)
    left = {thread: chance.randint(1, most // threads) for thread in range(1, threads + 1)}
    under_way, operations, moment, number = {}, [], 0, 0
    while (left or under_way) and moment < 100:  # all of them may wait
        thread = chance.choice(sorted({*left, *under_way}))
        moment += 1
        if thread not in under_way:
            under_way[thread] = [number, chance.choice(calls), moment, None]
            number += 1
            left[thread] -= 1
            if not left[thread]:
                del left[thread]
        elif under_way[thread][3] is None and chance.random() < free / 2:
            under_way[thread][3] = (LATE,)
        elif under_way[thread][3] is None:
            following = step(state, under_way[thread][1])
            if following:
                state, result = following[0]
                under_way[thread][3] = (result,)
        else:
            at, call, called, (result,) = under_way.pop(thread)
            operations.append(Operation(at, thread, call, called, moment, result))
        if not left and chance.random() < 0.05:
            break
    for thread, (at, call, called, _) in under_way.items():
        operations.append(Operation(at, thread, call, called))
    if operations and chance.random() < 0.6:
        at = chance.randrange(len(operations))
        one = operations[at]
        if not one.is_pending:
            result = chance.choice([None, 0, 1, 2, 3, EMPTY])
            operations[at] = Operation(one.number, one.thread, one.call, one.called, one.returned,
                                       result)  # fmt: skip
    chance.shuffle(operations)
    return [
        replace(one, is_free=one.result == LATE or free > 0 and chance.random() < free / 2)
        for one in operations
    ]


def subsets(operations):
    return chain.from_iterable(combinations(operations, n) for n in range(len(operations) + 1))


def works(model, order):
    """Whether operations, one after the other, have their results."""
    step, state, _ = MODELS[model]
    for one in order:
        following = step(state, one.call)
        if not following:
            return False
        state, result = following[0]
        if not (one.is_pending or one.is_free) and result != one.result:
            return False
    return True


def is_linearizable_order(order):
    return all(
        not order[j].returned < order[i].called
        for i in range(len(order))
        for j in range(i + 1, len(order))
    )


def is_program_order(order):
    return all(
        not (order[j].thread == order[i].thread and order[j].called < order[i].called)
        for i in range(len(order))
        for j in range(i + 1, len(order))
    )


def quiescent_order(operations):
    """Whether an order keeps the operations apart that a quiescent moment separates."""
    moments = [part + 0.5 for one in operations for part in (one.called, one.returned)]
    still = [
        moment
        for moment in moments
        if moment < LATER and not any(one.called < moment < one.returned for one in operations)
    ]

    def keeps(order):
        return not any(
            order[j].returned < moment < order[i].called
            for i in range(len(order))
            for j in range(i + 1, len(order))
            for moment in still
        )

    return keeps


def by_definition(model, operations, keeps):
    """Whether an order that keeps to a condition has the results of a history."""
    done = [one for one in operations if not (one.is_pending or one.is_free)]
    pending = [one for one in operations if one.is_pending or one.is_free]
    return any(
        keeps(order) and works(model, order)
        for helpers in subsets(pending)
        for order in permutations([*done, *helpers])
    )


def interleavings(threads):
    """The orders of operations that keep those of each thread."""
    if not any(threads):
        yield ()
        return
    for at, operations in enumerate(threads):
        if operations:
            rest = [*threads[:at], operations[1:], *threads[at + 1 :]]
            for order in interleavings(rest):
                yield (operations[0], *order)


def by_interleaving(model, operations):
    """The same for linearizability, which keeps the order of each thread."""
    threads = {}
    for one in sorted(operations, key=lambda one: one.called):
        threads.setdefault(one.thread, []).append(one)
    pending = [one for one in operations if one.is_pending or one.is_free]
    for missing in subsets(pending):
        columns = [[one for one in column if one not in missing] for column in threads.values()]
        for order in interleavings(columns):
            if is_linearizable_order(order) and works(model, order):
                return True
    return False
