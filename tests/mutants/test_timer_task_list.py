"""Each mutant takes one decision away and nothing else, keeps the labels, and races only where it loses a lock."""
import inspect
from functools import cache

import pytest

from mutants import timer_task_list as mutants
from tests.model.timer import FAST, MECHANISM, ROOT, STEM, source
from tests.mutants.overriding import functions
from wheelproof.explore import RaceDetector, Subject, walk

CLASSES = {name: value for name, value in vars(mutants).items() if isinstance(value, type) and hasattr(value, "switch")}
OVERRIDDEN = {"impl": source("impl"), "mapping": source("mapping")}


# -- which mutants there are

def switched_off_by_configs() -> set[str]:
    """Switches that some config turns off and expects a violation of."""
    return {switch for config in MECHANISM.configs.values() if config.expect == "violated"
            for switch, on in config.switches.items() if not on}


def test_every_decision_has_its_one_mutant():
    switches = [cls.switch for cls in CLASSES.values()]
    assert len(switches) == len(set(switches))
    assert set(switches) <= set(MECHANISM.switches)
    # A decision without a class shows only in what other threads are told meanwhile, that is in the refinement
    assert set(MECHANISM.switches) - set(switches) == {"NullLast"} <= switched_off_by_configs()


def test_every_row_of_the_table_has_its_class():
    assert {mutant.switch for mutant in MECHANISM.mutants.values()} == {cls.switch for cls in CLASSES.values()}
    for name, cls in CLASSES.items():
        assert MECHANISM.mutants[name].switch == cls.switch and cls.__doc__


# -- what they override

ORIGINALS = functions(OVERRIDDEN["impl"]) | functions(OVERRIDDEN["mapping"])
REPLACED = functions(source("mutants"))


@pytest.mark.parametrize("name", CLASSES)
def test_a_mutant_overrides_one_method_and_keeps_its_labels(name):
    own = {path[1:]: found for path, found in REPLACED.items() if path[0] == name}
    assert len(own) == 1
    ((path, (function, names, _)),) = own.items()
    original, kept, _ = ORIGINALS[path]
    assert names == kept
    assert [a.arg for a in function.args.args] == [a.arg for a in original.args.args]


def test_that_comparison_sees_a_lost_label():
    text = source("mutants").replace("entry.prev = None  # write U7", "entry.prev = None", 1)
    own = functions(text)["M1", "TimerTaskList", "remove"][1]
    assert own != ORIGINALS["TimerTaskList", "remove"][1]


@pytest.mark.parametrize("name", CLASSES)
def test_a_mutants_classes_have_no_dict(name):
    inner = [value for value in vars(CLASSES[name]).values() if isinstance(value, type)]
    assert len(inner) == 1
    for cls in inner:
        (base,) = cls.__bases__
        assert cls.__name__ == base.__name__
        assert cls.__name__ == "World" or cls.__dict__["__slots__"] == ()
        assert inspect.getmodule(base).__name__ in (f"impl.{STEM}", f"mapping.{STEM}")


# -- data races

@cache
def subject(name: str | None = None) -> Subject:
    return Subject.load(ROOT, STEM, mutant=name)


LOST = {
    "the list's monitor lost in add": "with self.monitor:  # lock A1, unlock A11",
    "the list's monitor lost in remove": "with self.monitor:  # lock U1, unlock U11",
    "the list's monitor lost in flush": "with self.monitor:  # lock F1, unlock F4",
}


@cache
def lost(name: str) -> Subject:
    """The implementation with one lock taken away by text."""
    text, line = source("impl"), LOST[name]
    assert text.count(line) == 1
    text = text.replace(line, line.replace("self.monitor", "NoMonitor()"))
    text = text.replace("import Atomic, Monitor, Plain, Volatile", "import Atomic, Monitor, NoMonitor, Plain, Volatile")
    return Subject.load(ROOT, STEM, texts={f"impl.{STEM}": text})


def races(of: Subject, scenario: dict, walks: int, coarse: bool = False, seed: int = 5):
    """What the detector reports in random walks, by field and lines; the walks themselves may end as they will.

    A mutant may also crash or go round for ever: what has raced by then counts.
    """
    detector = RaceDetector()
    for part in range(walks):
        walk(of, scenario, walks=1, seed=seed + part, max_steps=2_000, race=detector, coarse=coarse)
    assert detector.runs == walks
    return {race.lines for race in detector.found}


@pytest.mark.parametrize("scenario", FAST)
def test_the_implementation_has_no_race(scenario):
    for coarse in False, True:
        detector = RaceDetector()
        walks = walk(subject(), MECHANISM.scenarios[scenario], walks=20, seed=5, race=detector, coarse=coarse)
        assert walks.outcome == "passed" and walks.figures["walks"] == 20 and not walks.figures["deadlocks"]
        assert not walks.races and not detector.found


RACING = {
    "M2": ("two_adders", lambda: subject("M2")),
    "FlushWithoutMonitor": ("two_expire", lambda: subject("FlushWithoutMonitor")),
    # two entries: with one, the entry's monitor would hide that the list's is gone
    "the list's monitor lost in add": ("two_entries_crossed", lambda: lost("the list's monitor lost in add")),
    "the list's monitor lost in remove": ("cancels_crossed", lambda: lost("the list's monitor lost in remove")),
    "the list's monitor lost in flush": ("two_expire", lambda: lost("the list's monitor lost in flush")),
}


@pytest.mark.parametrize("name", RACING)
def test_a_lost_lock_is_a_race_in_both_grains(name):
    scenario, load = MECHANISM.scenarios[RACING[name][0]], RACING[name][1]
    fine, coarse = races(load(), scenario, 60), races(load(), scenario, 60, coarse=True)
    assert fine and coarse
    assert {field for field, _ in fine} <= {"TimerTaskEntry.next", "TimerTaskEntry.prev"}
    assert not races(subject(), scenario, 60)


@pytest.mark.parametrize("name", RACING)
def test_both_grains_report_the_same_races(name):
    scenario, load = MECHANISM.scenarios[RACING[name][0]], RACING[name][1]
    runs = 400
    assert races(load(), scenario, runs) == races(load(), scenario, runs, coarse=True)


def test_the_table_says_who_races():
    assert {mutant.switch for mutant in MECHANISM.mutants.values() if mutant.data_race} == {"EntryMonitor", "FlushHoldsMonitor"}


TWO_ENTRIES = {
    "lists": ["l1", "l2"], "task_of": {"e1": "t1", "e2": "t2"}, "current": ["e1", "e2"],
}
LATE = TWO_ENTRIES | {"ring": {"l1": ["e1"], "l2": []}, "threads": {"a": [["add", "l2", "e1"], ["add", "l2", "e2"]], "c": [["remove", "e1"]]}}
TWICE = TWO_ENTRIES | {"ring": {"l1": [], "l2": []}, "threads": {"a": [["add", "l1", "e1"], ["add", "l1", "e2"]], "b": [["add", "l2", "e1"], ["remove", "e1"]]}}


@pytest.mark.parametrize("name, scenario", [("M1", LATE), ("M3", TWICE)])
@pytest.mark.parametrize("coarse", [False, True])
def test_a_lost_test_ends_in_a_race_once_a_second_entry_is_there(name, scenario, coarse):
    """A ring is then changed under the other list's monitor, while an adder of the second entry holds the right one."""
    assert races(subject(name), scenario, 100, coarse)
    assert not races(subject(), scenario, 100, coarse)


def test_with_one_entry_its_monitor_hides_that():
    """Why a mutant that races need not be caught by the detector: the properties kill M3 here, and nothing races."""
    for coarse in False, True:
        assert not races(subject("M3"), MECHANISM.scenarios["two_adders"], 100, coarse)
