"""A project with one damaged artefact: the others show it, and no check passes vacuously."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.nights import only
from wheelproof.checks import verify as engine
from wheelproof.events import VerifyOptions
from wheelproof.verdict import exit_code

TOML, SPEC = "spec/TimerTaskList.toml", "spec/TimerTaskList.tla"
COUNTS = "spec/counts.json"
MODEL_PROPERTIES = "model/timer_task_list_properties.py"
PROPERTIES = "spec/TimerTaskListProperties.tla"
MODEL, IMPL, HARNESS = (
    f"{artefact}/timer_task_list.py" for artefact in ("model", "impl", "harness")
)
DECISION = "mutants/timer_task_list/M2.md"
KILLS = 'property = "AtMostOneList"\ndata_race'
REFUSED, DIFFERS = "expected exhaustive, got refused", "got violated by Bisimulation"


class Fault(NamedTuple):
    """What is changed (file, text, replacement), and how a run of one layer must end."""

    layer: str
    code: int
    words: list[str]
    changes: list[tuple[str, str, str]]


UNGUARDED, GUARDED = "+self.monitor = NoMonitor()", "+self.monitor = (Monitor())"

DECLARED = {
    "a table without a config": Fault(
        "bisimulation",
        5,
        ["there is no config, so there is nothing to check"],
        [
            (TOML, "[configs.two_adders]\n", ""),
            (COUNTS, '"two_adders": {"generated": 721, "distinct": 411, "depth": 47}', ""),
            (
                TOML,
                '[configs.flush_into_itself]\nabout = "the flush goes round for ever"\n'
                'expect = "violated"\nproperty = "Termination"\n',
                "",
            ),
        ],
    ),
    "no config left in the profile": Fault(
        "bisimulation",
        5,
        ["No check belongs to the chosen mechanisms, layers and profile"],
        [(TOML, "[configs.two_adders]\n", '[configs.two_adders]\nprofile = "nightly"\n')],
    ),
    "a scenario without threads": Fault(
        "bisimulation",
        2,
        ["[scenarios.two_adders]: there is no thread in it"],
        [
            (
                TOML,
                'threads = { a = "add l1 e1", b = "add l2 e1" }',
                "threads = {}",
            )
        ],
    ),
    "a thread without a program": Fault(
        "tlc",
        1,
        ["tlc / two_adders", "declared 721"],
        [(TOML, 'b = "add l2 e1"', "b = []")],
    ),
    "an operation that no object has": Fault(
        "bisimulation",
        2,
        ["bisimulation / two_adders", REFUSED, "append"],
        [(TOML, 'b = "add l2 e1"', 'b = "append l2 e1"')],
    ),
    "an invariant misspelt": Fault(
        "tlc",
        2,
        [
            "tlc / two_adders",
            REFUSED,
            "The invariant CounterExcat specified in the configuration file is not defined",
        ],
        [(TOML, "CounterExact = ", "CounterExcat = ")],
    ),
    "a mutant's property misspelt": Fault(
        "mutant",
        2,
        ["M2.md: [M2]: there is no property AtMostOneLits"],
        [(DECISION, KILLS, KILLS.replace("List", "Lits"))],
    ),
    "counts off by one": Fault(
        "tlc",
        1,
        [
            "tlc / two_adders",
            "generated is 721, declared 722; distinct is 411, declared 410; depth is 47, "
            "declared 48",
        ],
        [
            (
                COUNTS,
                '"generated": 721, "distinct": 411, "depth": 47',
                '"generated": 722, "distinct": 410, "depth": 48',
            )
        ],
    ),
    "a violation expected of a config that holds": Fault(
        "tlc",
        1,
        ["tlc / two_adders: expected violated by CancelWins, got exhaustive"],
        [
            (
                TOML,
                "[configs.two_adders]\n",
                '[configs.two_adders]\nexpect = "violated"\nproperty = "CancelWins"\n',
            )
        ],
    ),
    "a mutant declared to break what it does not break": Fault(
        "mutant",
        1,
        ["mutant / M2: expected violated by CancelWins, got exhaustive"],
        [(DECISION, KILLS, KILLS.replace("AtMostOneList", "CancelWins"))],
    ),
    "a mutant called equivalent that is not": Fault(
        "mutant",
        1,
        ["mutant / M2: expected exhaustive, got violated by "],
        [(DECISION, KILLS, 'equivalent = "so they say"\ndata_race')],
    ),
}

ARTEFACTS = {
    "a translation that is not the algorithm's": Fault(
        "tlc",
        2,
        ["tlc / translation", REFUSED, "wheelproof translate"],
        [(SPEC, "U6:  next[ue] := NULL;", "U6:  next[ue] := ue;")],
    ),
    "a property that cannot be evaluated, in a mutant": Fault(
        "mutant",
        2,
        [
            "mutant / M2: expected violated by CancelWins, got refused",
            "module TimerTaskListProperties: CancelWins has no value in a state",
        ],
        [
            (PROPERTIES, "CancelWins == slipped = {}", "CancelWins == slipped.nothing = {}"),
            (DECISION, KILLS, KILLS.replace("AtMostOneList", "CancelWins")),
        ],
    ),
    "a property whose antecedent never holds, on both artefacts": Fault(
        "mutant",
        1,
        ["mutant / M2: expected violated by AtMostOneList, got exhaustive"],
        [
            (PROPERTIES, "AtMostOneList == \\A e", "AtMostOneList == (Lists = {}) => \\A e"),
            (
                MODEL_PROPERTIES,
                "    def AtMostOneList(self) -> bool:\n",
                "    def AtMostOneList(self) -> bool:\n        return True\n\n"
                "    def Unused(self) -> bool:\n",
            ),
        ],
    ),
    "a property that the model alone holds": Fault(
        "mutant",
        1,
        [
            "mutant / M2: the property does not fail at one depth: depth_spec 16, depth_model "
            "None, depth_impl None"
        ],
        [
            (
                MODEL_PROPERTIES,
                "    def AtMostOneList(self) -> bool:\n",
                "    def AtMostOneList(self) -> bool:\n        return True\n\n"
                "    def Unused(self) -> bool:\n",
            )
        ],
    ),
    "a model that raises": Fault(
        "bisimulation",
        2,
        ["bisimulation / two_adders", REFUSED, "ZeroDivisionError", "model/timer_task_list.py:"],
        [
            (
                MODEL,
                "    def U4(self, t: Process) -> None:\n",
                "    def U4(self, t: Process) -> None:\n        1 / 0\n",
            )
        ],
    ),
    "a model that cannot be imported": Fault(
        "bisimulation",
        2,
        [
            "bisimulation / two_adders",
            REFUSED,
            "model/timer_task_list.py:",
            "cannot be imported: invalid syntax",
        ],
        [(MODEL, "    def U4(self", "    def def U4(self")],
    ),
    "a model that begins elsewhere": Fault(
        "bisimulation",
        1,
        [
            "bisimulation / two_adders",
            DIFFERS,
            "at the start: taskCounter is (0,), (1,) in the model",
        ],
        [(MODEL, 'self.scalar("taskCounter", linked)', 'self.scalar("taskCounter", linked + 1)')],
    ),
    "a label that the implementation lacks": Fault(
        "bisimulation",
        1,
        ["bisimulation / two_adders", DIFFERS, "write without a label in remove"],
        [(IMPL, "entry.list = None  # write U8", "entry.list = None")],
    ),
    "two labels of one kind swapped": Fault(
        "bisimulation",
        1,
        ["bisimulation / two_adders", DIFFERS, "takes A8 next, A7 in the model"],
        [
            (IMPL, "tail.next = entry  # write A7", "tail.next = entry  # write A0"),
            (IMPL, "# write A8", "# write A7"),
            (IMPL, "# write A0", "# write A8"),
        ],
    ),
    "two steps swapped": Fault(
        "bisimulation",
        1,
        ["bisimulation / two_adders", DIFFERS],
        [
            (
                IMPL,
                "entry.next = self.root  # write A4\n",
                "entry.prev = tail  # write A5\n"
                + 24 * " "
                + "entry.next = self.root  # write A4\n",
            ),
            (IMPL, "# write A4\n" + 24 * " " + "entry.prev = tail  # write A5\n", "# write A4\n"),
        ],
    ),
    "a harness that leaves a variable out": Fault(
        "bisimulation",
        2,
        ["bisimulation / two_adders", REFUSED, "shared() leaves out taskCounter"],
        [(HARNESS, '        "taskCounter": (harness.counter.get(),),\n', "")],
    ),
    "a variable of the implementation that the model calls AUXILIARY": Fault(
        "bisimulation",
        2,
        ["bisimulation / two_adders", REFUSED, "shared() has besides taskCounter"],
        [(MODEL, "AUXILIARY = frozenset({", 'AUXILIARY = frozenset({"taskCounter", ')],
    ),
    "a history variable that the model does not call so": Fault(
        "bisimulation",
        2,
        ["bisimulation / two_adders", REFUSED, "shared() leaves out owed"],
        [(MODEL, '"slipped", "owed"', '"slipped"')],
    ),
    "a mutant that changes nothing": Fault(
        "mutant",
        1,
        [
            "mutant / M2",
            "mutated model and mutated implementation differ",
            "bisimulation with the unmutated model does not reject the mutated implementation",
        ],
        [(DECISION, UNGUARDED, GUARDED)],
    ),
    "a race that is not there": Fault(
        "random",
        1,
        ["random / M2: expected violated by NoDataRace, got sampled"],
        [(DECISION, UNGUARDED, GUARDED)],
    ),
    "a decision whose place is not there": Fault(
        "random",
        2,
        [
            "random / M2",
            "got refused",
            "@@ impl/timer_task_list.py TimerTaskEntry.make: the anchor is not there",
        ],
        [(DECISION, "@@ impl TimerTaskEntry.__init__", "@@ impl TimerTaskEntry.make")],
    ),
    "a decision whose lines are not there": Fault(
        "mutant",
        2,
        ["M2.md:", "@@ spec/TimerTaskList.tla U10: its old lines are not there at the anchor"],
        [(DECISION, "-U10: unlock(entryMonitor, ue);", "-U10: unlock(entryMonitor, ae);")],
    ),
}


BY_DAY = (
    *("a table without a config", "a scenario without threads", "a mutant's property misspelt"),
    *("a model that cannot be imported", "a label that the implementation lacks"),
    *("a decision whose place is not there", "a mutant that changes nothing"),
)
"""Damages that a check notices soon; those of TLC are in test_engine.py."""


@pytest.mark.daily(2)
@pytest.mark.parametrize("fault", only([*DECLARED, *ARTEFACTS], *BY_DAY))
def test_no_damage_ends_green(verify, small, fault):
    damage = (DECLARED | ARTEFACTS)[fault]
    for change in damage.changes:
        small.change(*change)
    verify(damage.layer).fails(damage.code, *damage.words)
    verify.leaves_nothing()


def test_the_undamaged_subject_is_green_in_the_layers_that_are_damaged(verify):
    verify("tlc", "bisimulation", "mutant", "random").is_green()


@pytest.mark.parametrize(
    "variable",
    [
        "next",
        "prev",
        "list",
        "listMonitor",
        "entryMonitor",
        "taskMonitor",
        "timerTaskEntry",
        "taskCounter",
    ],
)
def test_every_variable_has_to_be_mapped(small, variable):
    small.change(
        HARNESS,
        "def shared(harness: Harness) -> dict[str, tuple[object, ...]]:\n",
        f"def shared(harness):\n    known = everything(harness)\n    del known[{variable!r}]\n"
        "    return known\n\n\n"
        "def everything(harness: Harness) -> dict[str, tuple]:\n",
    )
    rows = engine.run(
        VerifyOptions((), frozenset({"bisimulation"}), "fast", small.root, small.root / "build", 1)
    )
    assert exit_code(rows) == 2 and f"leaves out {variable}." in rows[0].why


@pytest.mark.nightly
def test_what_no_scenario_reaches_is_vacuous(verify):
    """The small project cancels and expires nothing, and violates two properties only."""
    ended = verify(jobs=2)
    assert ended.code == 1 and len(ended.lines) == 5, ended
    controls, witnesses, labels, branches, fields = ended.lines
    assert (
        "tlc / controls: expected exhaustive, got vacuous; no config checks Termination, Refines"
        in controls
    )
    assert (
        "graph / witnesses: expected exhaustive, got vacuous; no scenario reaches "
        "RemoveComesTooLate, CancelledInTheHand" in witnesses
    )
    assert (
        "coverage / labels: expected exhaustive, got vacuous; no scenario exercises C1, C2, C3, "
        "C4, F1" in labels
    )
    assert (
        "coverage / branches: expected exhaustive, got vacuous; no scenario runs "
        "impl.timer_task_list: TimerTask.cancel" in branches
    )
    assert (
        "coverage / fields" in fields
        and (
            "UNREAD has entries that are read, that do not change or that have no reason: "
            "executor.value"
        )
        in fields
    )
