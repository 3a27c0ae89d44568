"""Faults planted in the double-checked parent, under control: the comparison must name each."""

from __future__ import annotations

import pytest

from tests.impl.planting import Control, bisimulated, swapped
from tests.model.overflow_wheel import ARTEFACTS, MECHANISM, NAME, ROOT
from wheelproof.python import (
    ControlledImplementation,
    ExploreError,
    StyleError,
    labels,
)

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
    return ControlledImplementation.load(ROOT, NAME, texts={module: text}, **options)


WHEELS, HARNESS = f"impl.{NAME}", f"harness.{NAME}"
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
                    "                    self.overflow_wheel = self  # write O4\n"
                    "                    self.new_parent()\n",
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
                    "    def start(self):\n"
                    "        self.clock.current_time = START\n"
                    "\n"
                    "    def new_parent(self)",
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
                    "        while (current := self.list) is not None:  # read R1\n"
                    "            current.remove(self)\n",
                    "        current = self.list  # read R1\n"
                    "        if current is not None:\n"
                    "            current.remove(self)\n",
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
                    "            with entry.monitor:  # lock U2, unlock U10\n"
                    "                if entry.list is self",
                    "            with self.monitor:  # lock U1, unlock U11\n"
                    "                if entry.list is self",
                ),
            ),
        ),
    ),
}


def taken_off():
    """Module, label, text of every labelled line of this mechanism, and the unlabelled line."""
    for module in WHEELS, LISTS, HARNESS:
        text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        for number, kinds in labels.of_source(text).items():
            for label in kinds.values():
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
    """By a rule, or as a missing step of the implementation, in whichever scenario runs it."""
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
    bisimulation = bisimulated(ARTEFACTS, ControlledImplementation.load(ROOT, NAME), scenario)
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
