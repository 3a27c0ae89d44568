"""Primitives of a project's own: under control as the tool's, with faults that are found."""

import re
from functools import partial
from pathlib import Path

import pytest

from tests.wheelproof.python.runtime.latch_project import (
    HARNESS,
    OPENS_EARLY,
    SCENARIO,
    START,
    TEXTS,
    texts_with,
)
from wheelproof import isolated
from wheelproof.errors import UsageError
from wheelproof.graph import reduced
from wheelproof.python import (
    ControlledImplementation,
    ExploreError,
    RaceDetector,
    RuleBroken,
    StyleError,
    Unnamed,
    bisimulate,
    random_schedules,
)
from wheelproof.python.search.search import Search
from wheelproof.stress.loading import ProductionImplementation
from wheelproof.stress.rounds import IMPATIENT, Stress


@pytest.fixture
def load(tmp_path):
    for name in "impl", "harness", "model":
        (tmp_path / name).mkdir()

    def loaded(*changed, texts=None):
        texts = texts_with(*changed) if texts is None else texts
        return ControlledImplementation.load(tmp_path, "start", texts=texts)

    loaded.root = tmp_path
    return loaded


def compared(load, *changed, **options):
    model = isolated.load(load.root, "model.start", TEXTS).Model(SCENARIO)
    graph = reduced.reduce(model, frozenset({"T0"}))
    return bisimulate(
        load(*changed, **options),
        SCENARIO,
        reduced.rows(graph),
        reduced.shared_of(graph),
        fields=True,
    )


# -- with the model


def test_a_latch_of_the_project_is_equal_to_its_model(load):
    found = compared(load)
    assert found.outcome == "equal", found.difference
    assert found.uncovered == () and found.figures["impl_states"] == 8


def test_a_latch_that_opens_too_early_is_different_from_its_model(load):
    """The control: the same latch that lets threads through before the last count."""
    found = compared(load, "harness.primitives", *OPENS_EARLY.items())
    assert found.outcome == "different" and "G1" in str(found.difference)


def test_a_latch_that_counts_twice_is_different_from_its_model(load):
    found = compared(load, "harness.primitives", ("self.count -= 1", "self.count -= 2"))
    assert found.outcome == "different" and "g can take G1 in the implementation" in str(
        found.difference
    )


def test_a_thread_that_is_let_in_too_early_is_no_planned_run(load):
    early = ("return self.count == 0 or", "return self.count <= 1 or")
    run = load("harness.primitives", early).begin({**SCENARIO, "count": 1})
    with pytest.raises(RuleBroken, match="Latch: g was let in although it has to wait"):
        run.step(1)
    run.end()


# -- labels and style


def test_its_operations_are_the_steps_that_the_lines_name(load):
    implementation = load()
    run = implementation.begin(SCENARIO)
    assert run.labels == ["P1", "G1", "G1"] and run.enabled() == {0: "P1"}
    run.step(0)
    assert run.enabled() == {0: "P2"} and run.source(0) == "impl/start.py:15"
    run.end()
    assert ("impl/start.py", "P2", "update") in implementation.exercised
    assert not any(file == "harness/primitives.py" for file in implementation.labels)


def test_a_label_of_another_kind_is_refused(load):
    run = partial(load("impl.start", ("# update P2", "# write P2")).begin, SCENARIO)
    with pytest.raises(RuleBroken, match="a volatile update on the line of 'write P2'"):
        run().replay([0, 0])


def test_the_linter_knows_its_slots(load):
    late = ("self.latch.count_down()  # update P2", "self.latch.{} = 0")
    attribute = (late[0], late[1].format("counted"))
    with pytest.raises(StyleError, match="counted"):
        load("impl.start", attribute)
    load("impl.start", (late[0], late[1].format("count")))  # as one of a slot of the project


# -- state


def test_its_slots_are_part_of_the_state(load):
    implementation, table = load(), {}
    scenario = {**SCENARIO, "threads": {"p": [["prepare"]], "q": [["prepare"]]}}

    def state(*schedule):
        run = implementation.begin(scenario, intern=table)
        assert "start.latch.count" in run.paths
        run.replay(schedule)
        found = run.fingerprint()
        run.end()
        return found

    assert state(0, 0, 1) != state(0, 1)
    assert state(0, 1, 0) == state(1, 0, 0)


def test_what_a_method_keeps_over_a_step_is_part_of_the_state(load):
    implementation, table = load(), {}
    scenario = {"count": 2, "threads": {"k": [["kept"]], "p": [["prepare"]]}}

    def state(*schedule):
        run = implementation.begin(scenario, intern=table)
        run.replay(schedule)
        found = run.fingerprint()
        run.end()
        return found

    assert state(0, 1, 1) == state(1, 0, 1)
    assert state(0) != state()


def test_a_value_that_no_fingerprint_sees_is_refused(load):
    hidden = ("before = self.count", "before = object()")
    run = load("harness.primitives", hidden).begin({"count": 2, "threads": {"k": [["kept"]]}})
    with pytest.raises(Unnamed, match="'before' of latch.*holds a value of type object"):
        run.fingerprint()
    stacked = (
        'scheduler.whole(scheduler.point("wake", True))',
        "return self.count + (scheduler.point('wake', True) is None)",
    )
    run = load("harness.primitives", stacked).begin({"count": 2, "threads": {"k": [["kept"]]}})
    run.step(0)
    with pytest.raises(Unnamed, match="`self.count` is on the evaluation stack"):
        run.fingerprint()
    run.end()


def test_state_in_what_builds_the_class_is_refused(load):
    counted = (
        ("    class Latch:", "    seen = []\n    class Latch:"),
        ("self.count -= 1", "self.count -= 1; seen.append(1)"),
    )
    implementation = load("harness.primitives", *counted)
    run = implementation.begin(SCENARIO)
    run.replay([0, 0])
    with pytest.raises(ExploreError, match="An attribute of .*count_down was changed"):
        run.end()


def test_an_exception_that_leaves_its_block_is_followed(load):
    run = load().begin({"count": 0, "threads": {"e": [["fail"]]}})
    run.step(0)
    assert run.labels == ["E2"] and run.fingerprint() and run.harness.start.one.owner.name == "e"
    run.step(0)
    assert [type(each) for each in run.results(0)] == [ValueError] and run.done
    run.end()


def test_a_primitive_of_the_tool_within_one_is_refused(load):
    inner = (
        ("        def count_down", "        inner = earlier['Lock']()\n\n        def count_down"),
        ("self.count -= 1", "self.count -= 1; self.inner.acquire()"),
    )
    run = load("harness.primitives", *inner).begin(SCENARIO)
    run.step(0)
    with pytest.raises(RuleBroken, match="lock from outside the implementation, in count_down"):
        run.step(0)
    run.end()


# -- races, the order of locks, time


def races(implementation):
    detector = RaceDetector()
    random_schedules(implementation, SCENARIO, schedules=20, race=detector)
    return {race.field for race in detector.found}


def test_it_orders_the_accesses_of_plain_fields(load):
    assert races(load()) == set()


@pytest.mark.parametrize("lost", ["released", "acquired"])
def test_one_that_orders_nothing_has_a_race(load, lost):
    nothing = (f"scheduler.{lost}(self)", "pass")
    assert races(load("harness.primitives", nothing)) == {"Start.ready"}


def edges(implementation):
    search = Search(implementation, {"count": 0, "threads": {"f": [["forward"]]}}, 10, None, False)
    search.run()
    return {edge.name for edge in implementation.order.found}


def test_a_lock_of_the_project_is_in_the_order_of_locks(load):
    assert edges(load()) == {"Start.one -> Start.two"}
    silent = ("scheduler.order.enter(thread, self, site)", "pass")
    assert edges(load("harness.primitives", silent)) == set()


def test_a_wait_for_a_limited_time_ends_with_the_clock_of_the_scenario(load):
    run = load().begin({"count": 1, "threads": {"w": [["go_within", 5]], "c": [["sleep", 5]]}})
    run.step(0)
    assert run.enabled() == {1: "C1"} and run.fingerprint()
    run.step(1)
    assert run.enabled() == {0: "W2"} and run.fingerprint()
    run.step(0)
    assert run.results(0) == (False,)
    run.end()


# -- production


def on_real_threads(load, *changes, texts=None):
    texts = texts_with(*changes) if texts is None else texts
    production = ProductionImplementation(load.root, "start", texts)
    found = Stress(production, SCENARIO, patience=IMPATIENT).run(5, {((0,), (2,)): set()})
    assert "Monitor" in production.observer.used  # what the latch is made of is observed
    return found.finding


def test_production_has_a_class_of_its_own(load):
    assert on_real_threads(load) is None
    found = on_real_threads(load, "impl.production", ("self.count -= self.count > 0", "pass"))
    assert found.properties == {"NoDeadlock"} and "2 of 3 threads wait for ever" in found.message


# -- the page


def page():
    """File -> text, of the files that the page shows."""
    text = (Path(__file__).parents[4] / "docs/beyond-one-mechanism.md").read_text(encoding="utf-8")
    section = text.partition("## Primitives of your own\n")[2]
    shown = re.findall(r"```python\n# (\w+)/(\w+)\.py\n(.*?)```", section, re.DOTALL)
    return {f"{folder}.{name}": source for folder, name, source in shown}


def test_the_latch_on_the_page_is_the_one_of_the_model(load):
    texts = page()
    assert set(texts) == {"impl.latch", "impl.runtime", "harness.primitives"}
    start = START.replace("Turnstile", "Lock")
    used = HARNESS.replace(', "Turnstile": "harness.primitives.turnstile"', "")
    texts |= {"impl.start": start, "harness.start": used}
    found = compared(load, texts=texts)
    assert found.outcome == "equal", found.difference
    early = texts["harness.primitives"].replace("return self.count == 0", "return True")
    found = compared(load, texts=texts | {"harness.primitives": early})
    assert found.outcome == "different"
    assert on_real_threads(load, texts=texts) is None


# -- wrong declarations

LATCH_ONLY = '"Latch": "harness.primitives.latch", '


@pytest.mark.parametrize(
    ("module", "old", "new", "message"),
    [
        (
            "harness.start",
            LATCH_ONLY,
            "",
            "cannot import name 'Latch'.*in PRIMITIVES of the harness",
        ),
        ("harness.start", "PRIMITIVES = {", "PRIMITIVES = dict() or {", "no literal table"),
        ("harness.start", '"Latch": "', '"a latch": "', "no literal table"),
        ("harness.start", LATCH_ONLY, '"Lock": "harness.a.b", ', "a primitive of the tool"),
        ("harness.start", "harness.primitives.latch", "impl.latch.latch", "no function of another"),
        ("harness.start", "harness.primitives.latch", "harness.start.latch", "no function of ano"),
        ("harness.start", "harness.primitives.latch", "harness.other.latch", "no harness/other.py"),
        ("harness.start", "harness.primitives.latch", "harness.primitives.late", "is no function"),
        ("harness.start", "class Harness", "PRIMITIVES['x'] = 1\nclass Harness", "is loaded, and"),
        ("impl.runtime", "Latch, ", "", "names Latch, and production has none in impl/runtime.py"),
        ("harness.primitives", "    return Latch\n", "", "returns None, which is no class"),
        (
            "harness.primitives",
            "    class Latch:",
            "    earlier['Bolt']\n    class Latch:",
            "KeyError",
        ),
        ("harness.primitives", '\n        __slots__ = ("count",)\n', "", "no __slots__ in Latch"),
    ],
)
def test_a_wrong_declaration_is_refused(load, module, old, new, message):
    with pytest.raises(UsageError, match=message):
        load(module, (old, new))


def test_a_base_without_slots_is_refused(load):
    base = ("    class Latch:", "    class Loose: pass\n\n    class Latch(Loose):")
    with pytest.raises(ExploreError, match="Latch has no __slots__ in Loose"):
        load("harness.primitives", base)


def test_a_primitive_is_made_of_those_before_it(load):
    """A latch that is a lock of the tool too has its slots, and its operations."""
    base = ("    class Latch:", "    class Latch(earlier['Lock']):")
    made = (
        "            self.count = count\n",
        "            super().__init__()\n            self.count = count\n",
    )
    run = load("harness.primitives", base, made).begin(SCENARIO)
    assert {"start.latch.count", "start.latch.owner"} <= set(run.paths)
    run.end()
