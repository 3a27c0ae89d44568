"""Each mutant of TimingWheel takes one decision away and nothing else, and keeps the labels of the steps that are left."""
import ast
import inspect
from collections import Counter

import pytest

from mutants import timing_wheel as mutants
from tests.impl.planting import walked
from tests.model.timing_wheel import FAST, FLOORS, MECHANISM, ROOT, STEM, source
from tests.mutants.overriding import functions
from wheelproof.explore import RaceDetector, Subject, bisimulate, walk
from wheelproof.explore.pairs import Violation
from wheelproof.graph import reduced
from wheelproof.layers.bench import Bench
from wheelproof.layers.mutant import class_of

CLASSES = {name: value for name, value in vars(mutants).items() if isinstance(value, type) and hasattr(value, "switch")}
ORIGINALS = functions(source("impl")) | functions(source("mapping"))
REPLACED = functions(source("mutants"))


# -- which mutants there are

def test_every_decision_has_its_one_mutant():
    switches = [cls.switch for cls in CLASSES.values()]
    assert len(switches) == len(set(switches)) and set(switches) == set(MECHANISM.switches) and all(cls.__doc__ for cls in CLASSES.values())


def test_every_row_of_the_table_has_its_class(tmp_path):
    bench = Bench(MECHANISM, tmp_path)
    for mutant in MECHANISM.mutants.values():
        assert CLASSES[class_of(bench, mutant)].switch == mutant.switch
    assert set(CLASSES) <= set(MECHANISM.mutants), "a class is named as a row of its switch"


def test_rows_of_one_switch_are_about_different_properties():
    rows = [(mutant.switch, mutant.property) for mutant in MECHANISM.mutants.values()]
    assert len(rows) == len(set(rows)) > len(CLASSES)


# -- what they override

OTHER_KINDS = {"M12": {"V2": ("write", "read")}}
"""Mutant -> label -> (kind in the implementation, in the mutant): where the decision taken away is the step's own."""

AROUND = ("M13", "SaysNo")
"""Those that call what they replace, and so take its steps."""


def overridden(name, text=None):
    """The mutant's only method, and the one that it replaces."""
    replaced = functions(text) if text else REPLACED
    ((_, owner, function),) = [path for path in replaced if path[0] == name]
    base = next(cls for cls in getattr(CLASSES[name], owner).__mro__[1:] if function in vars(cls))
    return replaced[name, owner, function], ORIGINALS[base.__name__, function]


def lines(method):
    """What a method does, line by line, whoever is called by which name."""
    of = ast.parse(ast.unparse(method.function)).body[0]
    if ast.get_docstring(of):
        del of.body[0]
    text = ast.unparse(of.body).replace("timing_wheel.TimerTaskList.flush(self, callback)", "super().flush(callback)")
    return [line.strip() for line in text.splitlines()]


def unlike(name, text=None):
    """How a mutant's method differs from the implementation's: (labels, lines of its own, lines that it lacks)."""
    method, original = overridden(name, text)
    mine, others = Counter(lines(method)), Counter(lines(original))
    return method.labels ^ original.labels, list((mine - others).elements()), list((others - mine).elements())


@pytest.mark.parametrize("name", [name for name in CLASSES if name not in AROUND])
def test_a_mutant_overrides_one_method_in_one_line_or_in_its_order(name):
    method, original = overridden(name)
    labels, own, lacks = unlike(name)
    assert not labels and len(own) == len(lacks) <= 1
    assert ast.dump(ast.Module(method.function.body, [])) != ast.dump(ast.Module(original.function.body, []))
    assert [a.arg for a in method.function.args.args] == [a.arg for a in original.function.args.args]
    assert {label: (original.kinds[label], kind) for label, kind in method.kinds.items() if original.kinds[label] != kind} == OTHER_KINDS.get(name, {})


@pytest.mark.parametrize("name", AROUND)
def test_a_mutant_around_the_implementations_method_has_no_step_of_its_own(name):
    method, _ = overridden(name)
    assert not method.labels and any(line.startswith(f"super().{method.function.name}(") for line in lines(method))


@pytest.mark.parametrize("old, new, name, differs", [
    ("                    self.queue.offer(bucket)  # update W4\n                bucket.add(entry)  # update W2", "                    self.queue.offer(bucket)\n"
     "                bucket.add(entry)  # update W2", "M11", ({"W4"}, [], [])),
    ("            if deadline < current:\n", "            if deadline <= current + 2 or current < 0:\n                return True\n            if deadline < current:\n",
     "M17_late", (set(), ["if deadline <= current + 2 or current < 0:", "return True", "if deadline < current:"], ["if expired(deadline, current, self.tick_ms):"])),
    ("self.current_time = time_ms  # write V4", "self.current_time = trim(time_ms, self.tick_ms)  # write V4", "M18", (set(), [], [])),
], ids=["lost label", "two lines too many", "none"])
def test_that_comparison_sees_a_lost_label_and_lines_too_many_and_none(old, new, name, differs):
    text = source("mutants")
    assert text.count(old) == 1
    assert unlike(name, text.replace(old, new)) == differs != unlike(name)


@pytest.mark.parametrize("name", CLASSES)
def test_a_mutants_classes_have_no_dict(name):
    inner = [value for value in vars(CLASSES[name]).values() if isinstance(value, type)]
    assert len(inner) == 1
    for cls in inner:
        (base,) = cls.__bases__
        assert cls.__name__ == base.__name__
        assert cls.__name__ == "World" or cls.__dict__["__slots__"] == ()
        assert inspect.getmodule(base).__name__ in (f"impl.{STEM}", f"mapping.{STEM}")


# -- what they do

def compared(name, scenario, off):
    """A mutant's class against the model with these switches off, and that model's graph."""
    small = reduced.reduce(MECHANISM.model(scenario, dict.fromkeys(off, False)), MECHANISM.silent)
    subject = Subject.load(ROOT, STEM, mutant=name)
    return bisimulate(subject, MECHANISM.scenarios[scenario], reduced.rows(small), reduced.shared_of(small)), small


NIGHTLY = ("SaysNo", "M18")
"""The larger graphs."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.nightly] * (name in NIGHTLY)) for name in CLASSES])
def test_a_mutant_is_its_models_machine_and_no_longer_the_implementations(name):
    switch, scenario = CLASSES[name].switch, MECHANISM.mutants[name].scenario
    found, small = compared(name, scenario, [switch])
    assert found.outcome == "equal" and not found.uncovered, str(found.difference)
    for mutant in MECHANISM.mutants.values():
        if (mutant.switch, mutant.scenario) != (switch, scenario) or MECHANISM.properties[mutant.property].kind == "liveness":
            continue
        broken = found.graph.first_deadlock() if mutant.property == "NoDeadlock" else found.graph.first_violation(
            lambda state: small.model.holds(mutant.property, small.states[state]))
        assert isinstance(broken, Violation), mutant.name
    assert walked(FLOORS, Subject.load(ROOT, STEM, mutant=name), scenario).outcome == "different"


@pytest.mark.parametrize("one, other, scenario", [("M17_late", "M17_turn", "a_turn"), ("M12", "M11", "withdrawn"), ("ResetLate", "M12", "two_withdrawn")])
def test_a_mutant_is_not_another_ones_machine(one, other, scenario):
    assert compared(one, scenario, [CLASSES[other].switch])[0].outcome == "different"


# -- data races

def races(mutant, scenario, walks, coarse=False):
    """The fields that threads are seen to race for; the walks themselves may end as they will."""
    detector, subject = RaceDetector(), Subject.load(ROOT, STEM, mutant=mutant)
    for part in range(walks):
        walk(subject, MECHANISM.scenarios[scenario], walks=1, seed=part, max_steps=500, race=detector, coarse=coarse)
    return {race.field for race in detector.found}


@pytest.mark.parametrize("coarse", [False, True])
def test_who_adds_while_the_clock_advances_races_for_the_clock(coarse):
    assert MECHANISM.mutants["M13"].data_race
    assert "TimingWheel.current_time" in races("M13", "a_turn", 12, coarse)
    assert not races(None, "a_turn", 12, coarse)


@pytest.mark.parametrize("scenario", [name for name in FAST if name in ("cascade", "two_adders", "two_withdrawn")])
def test_the_implementation_has_no_race(scenario):
    for coarse in False, True:
        detector = RaceDetector()
        walks = walk(Subject.load(ROOT, STEM), MECHANISM.scenarios[scenario], walks=10, seed=5, race=detector, coarse=coarse)
        assert walks.outcome == "passed" and walks.figures["walks"] == 10 and not walks.figures["deadlocks"] and not detector.found
