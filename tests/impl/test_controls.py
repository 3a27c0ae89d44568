"""Negative controls on the real implementation: each breaks one rule of the correspondence.

Every control names a scenario in which its change is reachable, and the kind of finding that it
must lead to (``tests.impl.planting``).
"""

from __future__ import annotations

from functools import cache

import pytest

from model.timer_task_list import Model
from tests.impl.planting import Changes, Control, noticed, planted, swapped
from tests.model.timer import ARTEFACTS, MECHANISM, NAME, ROOT
from wheelproof.graph import reduced
from wheelproof.python import ControlledImplementation, bisimulate
from wheelproof.python.search.bisimulation import Bisimulation

CHASED = {
    "lists": ["l1", "l2"],
    "task_of": {"e1": "t1"},
    "ring": {"l1": ["e1"], "l2": []},
    "current": ["e1"],
    "threads": {
        "a": [["add", "l2", "e1"], ["add", "l1", "e1"], ["add", "l2", "e1"]],
        "r": [["remove", "e1"]],
    },
}
"""Each add can take the entry away from the list that remove has just looked up.

So remove comes too late three times, and only its fourth round unlinks the entry. A remove that
gives up before that ends with the entry linked.
"""

SCENARIOS = dict(MECHANISM.scenarios) | {"chased": CHASED}

LOOP = """        while (current := self.list) is not None:  # read R1
            current.remove(self)
"""


def looping(new: str) -> Changes:
    return ((LOOP, new),)


CONTROLS = {
    # the loop of remove
    "remove gives up after three rounds": Control(
        "chased",
        "enabled",
        "can take R1 in the model",
        looping("""        rounds = 0
        while rounds < 3 and (current := self.list) is not None:  # read R1
            current.remove(self)
            rounds += 1
"""),
    ),
    "remove gives up after three rounds, counted by a for": Control(
        "chased",
        "enabled",
        "can take R1 in the model",
        looping("""        for i in range(3):
            current = self.list  # read R1
            if current is None:
                return
            current.remove(self)
"""),
    ),
    "remove gives up after three rounds, counted in the entry": Control(
        "chased",
        "label",
        "R1 in the model",
        looping("""        rounds = 0
        while rounds < 3:
            current = self.list  # read R1
            if current is None:
                return
            current.remove(self)
            rounds = self.expiration_ms = self.expiration_ms + 1
"""),
    ),
    "the for's iterator hides the count": Control(
        "chased",
        "lint",
        "loop-position",
        looping("""        for _ in (1, 2, 3):
            current = self.list  # read R1
            if current is None:
                return
            current.remove(self)
"""),
    ),
    "a list looked up once is used in every round": Control(
        "chased",
        "enabled",
        "r can take U1",
        looping("""        first = None
        while (current := self.list) is not None:  # read R1
            first = first or current
            first.remove(self)
"""),
    ),
    # the counter
    "the counter is decremented outside the locks": Control(
        "remove_cancel",
        "label",
        "U9",
        (
            (
                "                    entry.list = None  # write U8\n"
                "                    self.task_counter.add_and_get(-1)  # update U9\n",
                "                    entry.list = None  # write U8\n"
                "                else:\n"
                "                    return\n"
                "        self.task_counter.add_and_get(-1)  # update U9\n",
            ),
        ),
    ),
    "the counter is not decremented": Control(
        "remove_cancel", "shared", "taskCounter", (("add_and_get(-1)", "add_and_get(0)"),)
    ),
    # labels
    "U6 and U7 swapped": Control(
        "remove_cancel", "label", "takes U7 next, U6 in the model", swapped("write U6", "write U7")
    ),
    "A4 and A5 swapped": Control(
        "two_adders", "label", "takes A5 next, A4 in the model", swapped("write A4", "write A5")
    ),
    "U8 and U9 swapped, kinds too": Control(
        "remove_cancel", "rule", "update U9", swapped("write U8", "update U9")
    ),
    "no label on a volatile write": Control(
        "remove_cancel", "rule", "write without a label in remove", (("  # write U8", ""),)
    ),
    "no label on a volatile read": Control(
        "remove_cancel", "rule", "read without a label in remove", (("  # read R1", ""),)
    ),
    "no label on a plain write": Control(
        "remove_cancel", "rule", "a plain write without a label", (("  # write U7", ""),)
    ),
    "no label on a plain read": Control(
        "two_expire", "label", "F2 in the model", (("  # read F2", ""),)
    ),
    "no label on an unlock": Control(
        "remove_cancel", "rule", "unlock without a label", (("# lock U2, unlock U10", "# lock U2"),)
    ),
    "no label on a lock": Control(
        "remove_cancel",
        "rule",
        "lock without a label",
        (("# lock U2, unlock U10", "# unlock U10"),),
    ),
    "no label on an atomic update": Control(
        "remove_cancel",
        "rule",
        "update without a label",
        (("add_and_get(-1)  # update U9", "add_and_get(-1)"),),
    ),
    "a read labelled as a write": Control(
        "remove_cancel", "rule", "read U8", (("# write U8", "# read U8"),)
    ),
    "a write labelled as a read": Control(
        "remove_cancel", "rule", "write R1", (("# read R1", "# write R1"),)
    ),
    "an update labelled as a write": Control(
        "remove_cancel", "rule", "update", (("# update U9", "# write U9"),)
    ),
    # operations that the spec does not have
    "an operation without a label": Control(
        "remove_cancel",
        "rule",
        "read without a label in remove",
        (
            (
                "        with self.monitor:  # lock U1",
                "        self.task_counter.get()\n        with self.monitor:  # lock U1",
            ),
        ),
    ),
    "an operation with a label of its own": Control(
        "remove_cancel",
        "label",
        "U0",
        (
            (
                "        with self.monitor:  # lock U1",
                "        self.task_counter.get()  # read U0\n        with self.monitor:  # lock U1",
            ),
        ),
    ),
    "one operation less": Control(
        "remove_cancel",
        "label",
        "U7 in the model",
        (("                    entry.prev = None  # write U7\n", ""),),
    ),
    "two writes on a line": Control(
        "remove_cancel",
        "lint",
        "one-operation",
        (
            ("entry.next = None  # write U6", "entry.next = entry.prev = None  # write U6"),
            ("                    entry.prev = None  # write U7\n", ""),
        ),
    ),
    "two reads on a line": Control(
        "expire_cancel",
        "lint",
        "no-branch",
        (
            (
                "self.timer_task.timer_task_entry is not self  # read K1",
                "self.timer_task.timer_task_entry is not self "
                "or self.timer_task.timer_task_entry is None  # read K1",
            ),
        ),
    ),
    "two locks in one with": Control(
        "remove_cancel",
        "lint",
        "one-manager",
        (
            (
                "            with entry.monitor:  # lock U2, unlock U10\n"
                "                if entry.list is self:",
                "            with entry.monitor, entry.monitor:  # lock U2, unlock U10\n"
                "                if entry.list is self:",
            ),
        ),
    ),
    # state that no fingerprint sees
    "a count in the module": Control(
        "chased",
        "lint",
        "module-state",
        (
            *looping("""        while (current := self.list) is not None and more():  # read R1
            current.remove(self)
"""),
            (
                "class TimerTask:",
                "rounds = 0\n"
                "\n"
                "\n"
                "def more():\n"
                "    global rounds\n"
                "    rounds += 1\n"
                "    return rounds % 40\n"
                "\n"
                "\n"
                "class TimerTask:",
            ),
        ),
    ),
    # locks
    "locks in another order": Control(
        "two_adders", "label", "A1", swapped("lock A1, unlock A11", "lock A2, unlock A10")
    ),
    "the lock of another entry": Control(
        "expire_two_cancels",
        "shared",
        "entryMonitor",
        (
            (
                "            with entry.monitor:  # lock U2",
                "            with self.root.monitor:  # lock U2",
            ),
        ),
    ),
}


@cache
def rows_of(scenario: str):
    model = Model(SCENARIOS[scenario])
    graph = reduced.reduce(model, MECHANISM.silent)
    return reduced.rows(graph), reduced.shared_of(graph)


def compared(subject: ControlledImplementation, scenario: str) -> Bisimulation:
    return bisimulate(subject, SCENARIOS[scenario], *rows_of(scenario))


@pytest.mark.daily(2)
@pytest.mark.parametrize("scenario", sorted({control.scenario for control in CONTROLS.values()}))
def test_the_implementation_as_it_is_passes(scenario):
    bisimulation = compared(ControlledImplementation.load(ROOT, NAME), scenario)
    assert bisimulation.outcome == "equal" and not bisimulation.uncovered


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_is_noticed(name):
    noticed(ARTEFACTS, CONTROLS[name], compared)


def test_giving_up_after_more_rounds_than_there_can_be_survives():
    """Every control names its scenario for this reason.

    In this one remove looks five times at most: late three times, the unlink, the end.
    """
    assert looks() == 5
    for rounds, outcome in (4, "different"), (5, "equal"):
        changes = tuple(
            (old, new.replace("rounds < 3", f"rounds < {rounds}"))
            for old, new in CONTROLS["remove gives up after three rounds"].changes
        )
        assert compared(planted(ARTEFACTS, changes, lint=False), "chased").outcome == outcome


def looks() -> int:
    """How often remove can look at entry.list in the model of that scenario.

    That is the number of steps R1 of r in the longest run without a cycle.
    """
    rows, _ = rows_of("chased")
    best: dict[int, int] = {}

    def longest(state: int) -> int:
        if state not in best:
            best[state] = max(
                (
                    longest(after) + (thread == 1 and label == "R1")
                    for thread, (label, after) in rows[state].items()
                ),
                default=0,
            )
        return best[state]

    return longest(0)
