"""Locks that a counterexample shows as held, and what threads wait for at a deadlock."""

from dataclasses import replace

import pytest

from wheelproof.counterexample import columns, deadlock, document
from wheelproof.counterexample.document import Step, Wait
from wheelproof.counterexample.holding import Hold, circle, cycle, holds
from wheelproof.counterexample.waiting import waits
from wheelproof.errors import UsageError

FREE, A, B = '"null"', '"a"', '"b"'


def step(thread, kind, **changes):
    return Step(thread, "L", kind, None, changes)


def test_a_lock_is_held_from_the_step_that_takes_it_to_the_one_that_gives_it_back(trace):
    run = replace(
        trace,
        steps=(
            step("a", "lock", lock=(FREE, A)),
            step("b", "read"),
            step("a", "unlock", lock=(A, FREE)),
            step("b", "try", lock=(FREE, B)),
        ),
    )
    assert holds(run) == [Hold("a", "lock", 0, 1), Hold("b", "lock", 3, 3)]


def test_a_second_entry_is_no_second_hold(trace):
    owner = "[depth |-> {}, owner |-> {}]"
    run = replace(
        trace,
        steps=(
            step("a", "lock", lock=(owner.format(0, FREE), owner.format(1, A))),
            step("a", "lock", lock=(owner.format(1, A), owner.format(2, A))),
            step("a", "unlock", lock=(owner.format(2, A), owner.format(1, A))),
            step("a", "unlock", lock=(owner.format(1, A), owner.format(0, FREE))),
        ),
    )
    assert holds(run) == [Hold("a", "lock", 0, 2)]


@pytest.mark.parametrize(
    "made",
    [
        step("a", "write", owner=(FREE, A)),
        step("a", "lock", busy=("FALSE", "TRUE")),
        step("a", "lock", lock=(FREE, '"another"')),
    ],
    ids=["a write", "a lock without a name", "a longer name"],
)
def test_other_steps_take_no_lock(trace, made):
    assert holds(replace(trace, steps=(made,))) == []


class Locks:
    """Each thread takes its two locks in its order: a model with the variables ``lock[x]``."""

    AUXILIARY = frozenset()
    variables = ("lock",)
    process_variables = ("pc", "stack", "wants")
    labels = frozenset({"First", "Second"})

    def __init__(self, **orders):
        self.orders = orders
        self.threads = tuple(orders)

    def initial(self):
        return ("", ""), tuple(("First",) for _ in self.threads)

    def successors(self, state):
        shared, own = state
        found = []
        for index, thread in enumerate(self.threads):
            if own[index][0] == "Done":
                continue
            lock = "xy".index(self.orders[thread][own[index][0] == "Second"])
            if not shared[lock]:
                taken = (*shared[:lock], thread, *shared[lock + 1 :])
                after = "Second" if own[index][0] == "First" else "Done"
                found.append(
                    (index, own[index][0], (taken, (*own[:index], (after,), *own[index + 1 :])))
                )
        return found

    def final(self, state):
        return all(pc == "Done" for (pc,) in state[1])

    def pieces(self, state):
        counters = tuple(pc for (pc,) in state[1])
        wanted = tuple(
            self.orders[thread][pc == "Second"] if pc != "Done" else "none"
            for thread, pc in zip(self.threads, counters, strict=True)
        )
        return (state[0], counters, counters, wanted)

    def tla(self, variable, piece):
        names = "xy" if variable == "lock" else self.threads
        return dict(zip(names, piece, strict=True))


def run(model, *threads):
    state = model.initial()
    for thread in threads:
        state = next(after for index, _, after in model.successors(state) if index == thread)
    return state


def test_a_deadlock_names_what_each_thread_waits_for():
    model = Locks(a="xy", b="yx")
    found = waits(model, run(model, 0, 1), {"Second": "impl/locks.py:7"})
    assert found == (
        Wait("a", "Second", "impl/locks.py:7", ("lock[y]",), ("b",), {"wants": '"y"'}),
        Wait("b", "Second", "impl/locks.py:7", ("lock[x]",), ("a",), {"wants": '"x"'}),
    )
    assert cycle(found) == ["a", "b"]


def test_a_thread_that_waits_for_one_that_has_ended_closes_no_circle():
    model = Locks(a="xy", b="xx")
    found = waits(model, run(model, 0, 0), {})
    assert found == (Wait("b", "First", None, ("lock[x]",), ("a",)),)
    assert cycle(found) == []


def test_the_circle_is_drawn_with_the_place_that_names_the_next_thread(trace, tmp_path):
    """A place that names another thread is not the one that keeps the thread."""
    waits = (
        Wait("a", "A1", None, ("other", "lock[y]"), ("b",)),
        Wait("b", "A1", None, ("lock[x]",), ("a",)),
    )
    stuck = replace(
        trace,
        initial={"other": '"null"', "lock[x]": '"null"', "lock[y]": '"null"'},
        steps=(
            step("a", "lock", **{"lock[x]": (FREE, A)}),
            step("b", "lock", **{"lock[y]": (FREE, B)}),
        ),
        waits=waits,
    )
    assert circle(stuck) == ["a", "lock[y]", "b", "lock[x]", "a"]
    lines = [line.plain.strip() for line in columns.render(stuck, 120, tmp_path)]
    at = lines.index("They wait in a circle:")
    assert lines[at + 1 : at + 5] == [
        "╭→ a",
        "│  ↓ waits for lock[y], held by",
        "│  b",
        "╰──╯ waits for lock[x], held by",
    ]
    plainer = [line.plain for line in columns.render(stuck, 120, tmp_path, glyphs=columns.ASCII)]
    assert "    |   v waits for lock[y], held by" in plainer
    assert "    '--' waits for lock[x], held by" in plainer
    assert circle(replace(stuck, waits=waits[:1])) == []
    assert deadlock.drawn_circle(replace(stuck, waits=waits[:1])) == []


def test_the_locals_of_a_thread_that_waits_are_shown(trace, tmp_path):
    values = {"mine": '"null"', "index": "3"}
    blocked = replace(trace, waits=(Wait("a", "A1", None, ("inside",), (), values),))
    blocked.write(tmp_path / "t.json")
    assert document.read(tmp_path / "t.json").waits == blocked.waits
    assert "Locals of a: mine = None, index = 3." in deadlock.waiting(blocked)
    without = replace(trace, waits=(Wait("a", "A1", None, ("inside",), ()),))
    assert not any("Locals" in line for line in deadlock.waiting(without))


def test_there_is_nothing_to_wait_for_while_a_thread_can_move():
    model = Locks(a="xy", b="yx")
    assert waits(model, run(model, 0), {}) == ()


def test_a_counterexample_keeps_the_waits(trace, tmp_path):
    blocked = replace(trace, waits=(Wait("a", "A1", None, ("inside",), ("b",)),))
    blocked.write(tmp_path / "t.json")
    assert document.read(tmp_path / "t.json") == blocked
    text = [line.plain.strip() for line in columns.render(blocked, 120, tmp_path)]
    assert "a waits at A1 for inside, held by b; it holds inside." in text
    replace(trace, waits=(Wait("a", "A1", None, (), ("absent",)),)).write(tmp_path / "t.json")
    with pytest.raises(UsageError, match="'absent', which is no thread"):
        document.read(tmp_path / "t.json")


def test_a_thread_that_fell_asleep_is_left_without_a_notification(trace, tmp_path):
    *before, last = trace.steps
    asleep = replace(
        trace,
        steps=(*before, replace(last, kind="wait")),
        waits=(Wait(last.thread, "A1", "impl/thing.py:2", (), ()),),
    )
    stated = f"{last.thread} sleeps at A1 (impl/thing.py:2), and no notification is left for it"
    assert any(line.startswith(stated) for line in deadlock.waiting(asleep))
    awake = replace(asleep, steps=trace.steps)
    assert any("for more than one variable" in line for line in deadlock.waiting(awake))
