"""The double-checked parent in production; and what breaks the correspondence under control, each noticed for what it is."""

from __future__ import annotations

import threading
from types import MemberDescriptorType

import pytest

from harness.overflow_wheel import START, Harness
from impl.overflow_wheel import Overflowing
from impl.runtime import NoMonitor
from tests.impl.packages import imported
from tests.impl.planting import Control, bisimulated, swapped
from tests.impl.real_threads import MOMENT_S, PATIENCE_S, finished, started, until
from tests.model.overflow_wheel import ARTEFACTS, MECHANISM, ROOT, STEM
from wheelproof.explore import ControlledImplementation, ExploreError, StyleError, labels


class Wheel(Overflowing):
    """Counts the wheels that are made, and lets a thread wait while it makes one."""

    __slots__ = ("made", "pause")

    def __init__(self, made, pause=None):
        super().__init__()
        self.made, self.pause = made, pause

    def new_parent(self):
        self.made.append(self)
        if self.pause is not None:
            self.pause.wait(PATIENCE_S)
        return Wheel(self.made)


# -- in production


def test_a_class_that_makes_no_parent_says_so():
    wheel = Overflowing()
    with pytest.raises(NotImplementedError):
        wheel.parent()
    assert wheel.overflow_wheel is None


def test_fields_are_slots():
    wheel = Wheel([])
    assert Overflowing.__slots__ == ("monitor", "overflow_wheel") and not hasattr(wheel, "__dict__")
    assert all(
        type(getattr(Overflowing, name)) is MemberDescriptorType for name in Overflowing.__slots__
    )


def test_the_module_needs_the_standard_library_alone():
    assert imported("import impl.overflow_wheel") == "impl"


def test_the_parent_is_made_when_it_is_asked_for_and_once():
    made = []
    wheel = Wheel(made)
    assert wheel.overflow_wheel is None and not made
    parent = wheel.parent()
    assert wheel.parent() is parent is wheel.overflow_wheel and made == [wheel]
    assert parent.overflow_wheel is None, "a parent has none until it is asked, too"
    assert parent.parent() is not parent and made == [wheel, parent]


def test_a_wheel_that_cannot_make_one_says_so_and_gives_its_monitor_back():
    wheel = Overflowing()
    with pytest.raises(NotImplementedError):
        wheel.parent()
    assert wheel.overflow_wheel is None
    (thread,) = started(lambda: wheel.monitor.acquire() and wheel.monitor.release())
    assert finished(thread)


def test_all_threads_are_given_the_same_parent():
    for _ in range(50):
        made, given, start = [], [], threading.Barrier(4)
        wheel = Wheel(made)

        def ask():
            start.wait()
            given.append(wheel.parent())

        assert all(finished(thread) for thread in started(*[ask] * 4))
        assert len(made) == 1 and len(set(map(id, given))) == 1 and len(given) == 4


class Knocked:
    """A monitor that counts those who want it."""

    def __init__(self, monitor):
        self.monitor, self.wanted = monitor, []

    def __enter__(self):
        self.wanted.append(threading.get_ident())
        self.monitor.acquire()

    def __exit__(self, *exception):
        self.monitor.release()


def test_while_one_thread_makes_it_the_others_wait_and_see_nothing():
    made, pause, given = [], threading.Event(), []
    wheel = Wheel(made, pause)
    wheel.monitor = Knocked(wheel.monitor)
    threads = started(*[lambda: given.append(wheel.parent())] * 2)
    assert until(lambda: made and len(wheel.monitor.wanted) == 2)
    assert not finished(threads[0], MOMENT_S) and not finished(threads[1], MOMENT_S)
    assert wheel.overflow_wheel is None and not given and len(made) == 1
    pause.set()
    assert all(finished(thread) for thread in threads)
    assert len(made) == 1 and given[0] is given[1]


def test_without_the_monitor_both_make_one():
    """The barrier lets nobody past before both are at it."""
    made, given = [], []
    wheel = Wheel(made, threading.Barrier(2))
    wheel.monitor = NoMonitor()
    assert all(finished(thread) for thread in started(*[lambda: given.append(wheel.parent())] * 2))
    assert len(made) == 2


def test_what_is_made_is_complete():
    harness = Harness(MECHANISM.scenarios["two"])
    harness.place("a")
    assert harness.found["a"].wheel_and_time == (harness.wheel.overflow_wheel, START)


# -- under control

LISTS = "impl.timer_task_list"
LOOK = "                if self.overflow_wheel is None:  # read O3\n"
MADE = """                    wheel = self.new_parent()
                    self.overflow_wheel = wheel  # write O4
"""


def planted(module, changes, **options):
    """The implementation with these changes in one of its modules, or in its harness."""
    text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
        text = text.replace(old, new)
    return ControlledImplementation.load(ROOT, STEM, texts={module: text}, **options)


WHEELS, HARNESS = f"impl.{STEM}", f"harness.{STEM}"
CONTROLS = {
    # the creation
    "no look before the monitor": (
        WHEELS,
        Control(
            "two",
            "label",
            "O1 in the model",
            (
                (
                    "        if self.overflow_wheel is None:  # read O1\n            with",
                    "        if True:\n            with",
                ),
            ),
        ),
    ),
    "no second look": (
        WHEELS,
        Control(
            "two",
            "label",
            "takes B1 next, O5 in the model",
            ((LOOK, "                if self.overflow_wheel is None or True:  # read O3\n"),),
        ),
    ),
    "published before it is made": (
        WHEELS,
        Control(
            "two",
            "label",
            "takes O4 next, B1 in the model",
            (
                (
                    MADE,
                    "                    self.overflow_wheel = self  # write O4\n                    self.new_parent()\n",
                ),
            ),
        ),
    ),
    "what was read first is returned": (
        WHEELS,
        Control(
            "two",
            "label",
            "takes N1 next, O6 in the model",
            (
                (
                    "        if self.overflow_wheel is None:  # read O1\n",
                    "        parent = self.overflow_wheel  # read O1\n        if parent is None:\n",
                ),
                ("        return self.overflow_wheel  # read O6", "        return parent or self"),
            ),
        ),
    ),
    "the parent is the wheel itself": (
        WHEELS,
        Control(
            "two",
            "shared",
            "overflowWheel",
            (
                (
                    "                    self.overflow_wheel = wheel  # write O4",
                    "                    self.overflow_wheel = self  # write O4",
                ),
            ),
        ),
    ),
    # labels
    "O1 and O3 swapped": (
        WHEELS,
        Control("two", "label", "takes O3 next, O1 in the model", swapped("read O1", "read O3")),
    ),
    "no label on the publication": (
        WHEELS,
        Control("two", "rule", "write without a label in parent", (("  # write O4", ""),)),
    ),
    "no label on the look": (
        WHEELS,
        Control("two", "rule", "read without a label in parent", (("  # read O1", ""),)),
    ),
    "no label on the unlock": (
        WHEELS,
        Control("two", "rule", "unlock without a label", (("# lock O2, unlock O5", "# lock O2"),)),
    ),
    # memory
    "the field is not volatile": (
        WHEELS,
        Control(
            "two",
            "enabled",
            "overflow_wheel can take W1 in the implementation",
            (
                ("overflow_wheel: Volatile[", "overflow_wheel: Plain["),
                ("import Monitor, Volatile", "import Monitor, Plain, Volatile"),
            ),
        ),
    ),
    "list is not volatile": (
        LISTS,
        Control("cancelled", "enabled", "a.list", (("    list: Volatile[", "    list: Plain["),)),
    ),
    "the pointer is not volatile": (
        LISTS,
        Control(
            "cancelled",
            "enabled",
            "b.timer_task_entry",
            (("    timer_task_entry: Volatile[", "    timer_task_entry: Plain["),),
        ),
    ),
    "the time is volatile": (
        HARNESS,
        Control(
            "two",
            "rule",
            "write without a label in start",
            (
                ("    current_time: Plain[int | None]", "    current_time: Volatile[int | None]"),
                ("Memory, Plain", "Memory, Plain, Volatile"),
                ("        self.clock.current_time = START  # write B2", "        self.start()"),
                (
                    "    def new_parent(self)",
                    "    def start(self):\n        self.clock.current_time = START\n\n    def new_parent(self)",
                ),
            ),
        ),
    ),
    "the time is never delayed": (
        HARNESS,
        Control(
            "two",
            "enabled",
            "current_time can take W1 in the model",
            (('"overflow_wheel", "current_time", "list"', '"overflow_wheel", "list"'),),
        ),
    ),
    "a store takes the way of another field": (
        HARNESS,
        Control(
            "two",
            "enabled",
            "current_time can take W1 in the model",
            (
                (
                    "self.buffers.write_back(thread, field)",
                    'self.buffers.write_back(thread, "list")',
                ),
            ),
        ),
    ),
    "a way ends after one store": (
        HARNESS,
        Control(
            "two",
            "result",
            "ends 1 operation with this step, 0 in the model",
            (
                (
                    "            more = self.buffers.write_back(thread, field)",
                    "            more = not self.buffers.write_back(thread, field)",
                ),
            ),
        ),
    ),
    # the list, as far as it is run here
    "cancel forgets to remove": (
        LISTS,
        Control(
            "cancelled",
            "label",
            "takes C3 next, R1 in the model",
            (("            if entry is not None:\n                entry.remove()\n", ""),),
        ),
    ),
    "remove looks once": (
        LISTS,
        Control(
            "cancelled",
            "label",
            "R1 in the model",
            (
                (
                    "        while (current := self.list) is not None:  # read R1\n            current.remove(self)\n",
                    "        current = self.list  # read R1\n        if current is not None:\n            current.remove(self)\n",
                ),
            ),
        ),
    ),
    "remove takes no lock of the entry": (
        LISTS,
        Control(
            "cancelled",
            "lint",
            "unique",
            (
                (
                    "            with entry.monitor:  # lock U2, unlock U10\n                if entry.list is self",
                    "            with self.monitor:  # lock U1, unlock U11\n                if entry.list is self",
                ),
            ),
        ),
    ),
}


def taken_off():
    """Module, label, text of every labelled line that this mechanism runs, and the line without the label."""
    for module in WHEELS, LISTS, HARNESS:
        text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        for number, kinds in labels.of_source(text).items():
            for kind, label in kinds.items():
                if label in MECHANISM.labels:
                    line = text.splitlines()[number - 1]
                    rest = ", ".join(f"{k} {name}" for k, name in kinds.items() if name != label)
                    yield pytest.param(
                        module,
                        label,
                        line,
                        f"{line.partition('  #')[0]}{rest and '  # '}{rest}",
                        id=label,
                    )


@pytest.mark.parametrize("module, label, line, without", list(taken_off()))
def test_a_label_that_is_taken_off_is_noticed(module, label, line, without):
    """By a rule, or as a step that the model has and the implementation lacks; the scenario is whichever runs it."""
    text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    assert text.count(f"{line}\n") == 1 and line != without
    if module == LISTS:  # the list of kept labels names it, and so does the harness's check
        with pytest.raises(ExploreError, match=f"keeps .*{label}|one of"):
            planted(module, ((f"{line}\n", f"{without}\n"),), lint=False)
        return
    scenario = "cancelled" if label == "K2" else "two"
    bisimulation = bisimulated(
        ARTEFACTS, planted(module, ((f"{line}\n", f"{without}\n"),), lint=False), scenario
    )
    assert bisimulation.outcome == "different" and bisimulation.difference.kind in (
        "rule",
        "label",
        "enabled",
        "stuck",
    ), str(bisimulation.difference)


@pytest.mark.parametrize("scenario", MECHANISM.scenarios)
def test_the_implementation_as_it_is_passes(scenario):
    bisimulation = bisimulated(ARTEFACTS, ControlledImplementation.load(ROOT, STEM), scenario)
    assert bisimulation.outcome == "equal" and not bisimulation.uncovered


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_is_noticed(name):
    module, control = CONTROLS[name]
    if control.kind == "lint":
        with pytest.raises(StyleError) as refused:
            planted(module, control.changes)
        assert control.says in {finding.rule for finding in refused.value.findings}
        return
    bisimulation = bisimulated(
        ARTEFACTS, planted(module, control.changes, lint=False), control.scenario
    )
    assert bisimulation.outcome == "different"
    assert (
        bisimulation.difference.kind == control.kind
        and control.says in bisimulation.difference.message
    ), str(bisimulation.difference)
