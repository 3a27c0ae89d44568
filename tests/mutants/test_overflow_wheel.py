"""Each mutant of OverflowWheel takes one decision away and nothing else: a mark, or a line; and what memory has to do with it."""
import pytest

from mutants import overflow_wheel as mutants
from tests.impl.planting import walked
from tests.model.overflow_wheel import FAST, FLOORS, MECHANISM, ROOT, STEM
from wheelproof.explore import RaceDetector, Subject, bisimulate, labels, walk
from wheelproof.explore.pairs import Violation
from wheelproof.explore.store_buffer import DelayedField
from wheelproof.graph import reduced
from wheelproof.graph.explorer import explore

CLASSES = {name: value for name, value in vars(mutants).items() if isinstance(value, type) and hasattr(value, "switch")}
MARKS = {"PlainWheel": ("Overflowing", "overflow_wheel"), "M6": ("TimerTaskEntry", "list"), "M7": ("TimerTask", "timer_task_entry")}


def test_every_decision_has_its_one_mutant():
    assert {name: cls.switch for name, cls in CLASSES.items()} == {name: mutant.switch for name, mutant in MECHANISM.mutants.items()}
    assert sorted(cls.switch for cls in CLASSES.values()) == sorted(MECHANISM.switches) and all(cls.__doc__ for cls in CLASSES.values())


@pytest.mark.parametrize("name", MARKS)
def test_a_mark_is_all_that_changes(name):
    owner, field = MARKS[name]
    cls = getattr(CLASSES[name], owner)
    assert cls.__slots__ == (field,) and cls.__annotations__[field].startswith("Plain[")
    assert cls.__bases__[0].__annotations__[field].startswith("Volatile[")
    assert not [value for value in vars(cls).values() if callable(value)], "no method"


@pytest.mark.parametrize("name", ["M16", "KeepsMonitor"])
def test_a_line_that_changes_keeps_its_labels(name):
    def steps(text):
        return {(kind, label) for lines in labels.of_source(text).values() for kind, label in lines.items()}

    text = (ROOT / "mutants" / f"{STEM}.py").read_text(encoding="utf-8")
    own = text[text.index(f"class {name}:"):].split("\n\n\n")[0]
    assert steps(own) == steps((ROOT / "impl" / f"{STEM}.py").read_text(encoding="utf-8"))
    assert steps(own.replace("# read O3", "")) != steps(own)


def compared(name, scenario):
    """A mutant against its own model."""
    small = reduced.reduce(MECHANISM.model(scenario, {CLASSES[name].switch: False}), MECHANISM.silent)
    subject = Subject.load(ROOT, STEM, mutant=name)
    return bisimulate(subject, MECHANISM.scenarios[scenario], reduced.rows(small), reduced.shared_of(small)), small


@pytest.mark.parametrize("name", CLASSES)
def test_a_mutant_is_its_models_machine_and_no_longer_the_implementations(name):
    scenario = MECHANISM.mutants[name].scenario
    found, small = compared(name, scenario)
    assert found.outcome == "equal" and not found.uncovered, str(found.difference)
    prop = MECHANISM.mutants[name].property
    broken = found.graph.first_deadlock() if prop == "NoDeadlock" else found.graph.first_violation(lambda n: small.model.holds(prop, small.states[n]))
    assert isinstance(broken, Violation)
    assert walked(FLOORS, Subject.load(ROOT, STEM, mutant=name), scenario).outcome == "different"


@pytest.mark.parametrize("name", MARKS)
def test_only_a_mutants_plain_field_is_delayed(name):
    owner, field = MARKS[name]
    plain, mutated = Subject.load(ROOT, STEM), Subject.load(ROOT, STEM, mutant=name)

    def descriptor(subject):
        run = subject.begin(MECHANISM.scenarios["cancelled"])
        holder = {"Overflowing": run.world.wheel, "TimerTaskEntry": run.world.entry, "TimerTask": run.world.task}[owner]
        run.end()
        return getattr(type(holder), field)

    assert isinstance(descriptor(mutated), DelayedField) and not isinstance(descriptor(plain), DelayedField)


# -- it is memory that does it: the same decision taken away where stores arrive at once breaks nothing

def without_ways(scenario, keep=()):
    """The scenario's threads alone, and those of its ways to memory whose field is kept."""
    threads = {name: program for name, program in scenario["threads"].items() if program[0][0] != "memory" or program[0][2] in keep}
    return dict(scenario) | {"threads": threads}


class AtOnce:
    """A model whose plain stores are in memory at once, as CPython's are."""

    def delay(self, field, where, value):
        self.bring(((self.me, field, where, value, frozenset()),))


@pytest.mark.parametrize("name", MARKS)
def test_without_delays_a_plain_field_breaks_nothing(name):
    """What interleaving alone can do: the reason why these mutants need a memory."""
    mutant = MECHANISM.mutants[name]
    of = without_ways(MECHANISM.scenarios[mutant.scenario])
    model = type("Model", (AtOnce, MECHANISM.model_module.Model), {})(of, {mutant.switch: False})
    graph = explore(model)
    assert not [state for state in graph.states if not model.holds(mutant.property, state)]
    slow = MECHANISM.model(mutant.scenario, {mutant.switch: False})
    assert [state for state in explore(slow).states if not slow.holds(mutant.property, state)]


@pytest.mark.parametrize("name", ["M16"])
def test_the_second_look_is_needed_without_delays_too(name):
    mutant = MECHANISM.mutants[name]
    model = type("Model", (AtOnce, MECHANISM.model_module.Model), {})(without_ways(MECHANISM.scenarios["two"]), {mutant.switch: False})
    assert [state for state in explore(model).states if not model.holds(mutant.property, state)]


def test_the_wheel_is_half_built_only_if_the_reference_overtakes_its_time():
    """With no way for the reference of its own it comes by the monitor, which brings the time along."""
    of, switches = MECHANISM.scenarios["two"], {"WheelVolatile": False}
    for keep, half_built in ((("current_time",), False), (("overflow_wheel",), True)):
        model = MECHANISM.model_module.Model(without_ways(of, keep), switches)
        assert any(not model.holds("SafePublication", state) for state in explore(model).states) == half_built


# -- data races

@pytest.mark.parametrize("name", MARKS)
def test_a_plain_field_is_a_data_race(name):
    owner, field = MARKS[name]
    assert MECHANISM.mutants[name].data_race
    detector = RaceDetector()
    walk(Subject.load(ROOT, STEM, mutant=name), MECHANISM.scenarios[MECHANISM.mutants[name].scenario], walks=40, seed=5, race=detector)
    # a wheel that is seen half-built is read without an order, too
    assert f"{owner}.{field}" in {race.field for race in detector.found} <= {f"{owner}.{field}", "Clock.current_time"}


@pytest.mark.parametrize("scenario", FAST)
def test_the_implementation_has_no_race(scenario):
    for coarse in False, True:
        detector = RaceDetector()
        walks = walk(Subject.load(ROOT, STEM), MECHANISM.scenarios[scenario], walks=20, seed=5, race=detector, coarse=coarse)
        assert walks.outcome == "passed" and not walks.figures["deadlocks"] and not detector.found
