"""examples/connection_pool: steps that choose, from the specification to the exported test."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from wheelproof_runtime import choose

from tests.examples.pages import ROOT, change, wheelproof
from wheelproof import regression
from wheelproof.checks.comparisons import difference_file
from wheelproof.checks.context import Context
from wheelproof.counterexample import columns, document, export, replay, traced
from wheelproof.counterexample.build import Diverged, build, labelled
from wheelproof.counterexample.replay import NotReproduced
from wheelproof.graph import reduced
from wheelproof.graph.explorer import explore, first_violation
from wheelproof.graph.same import difference
from wheelproof.project import find
from wheelproof.project.mechanism import Config
from wheelproof.python import ControlledImplementation, bisimulate
from wheelproof.tlc.result import Outcome, TlcResult, TraceState
from wheelproof.tlc.values import Function
from wheelproof.trace.steps.examples import random_schedule
from wheelproof.trace.steps.follow import follow
from wheelproof.trace.steps.record import record

SUBJECT = ROOT / "examples" / "connection_pool"
POOL = find(SUBJECT)["connection_pool"]
SCENARIO = "two_users"
MUTATED = POOL.without("BorrowsClosed")


def broken():
    """The mutant's schedule to the first state that breaks BorrowsOpen, in its model."""
    graph = explore(MUTATED.model(SCENARIO))
    state = first_violation(graph, "BorrowsOpen")
    return graph, [(thread, label) for thread, label, _ in graph.path(state)]


def counterexample():
    graph, schedule = broken()
    return build(
        MUTATED,
        graph.model,
        schedule,
        layer="mutant",
        name="BorrowsClosed",
        scenario=SCENARIO,
        property="BorrowsOpen",
        explanation="",
    )


@pytest.fixture
def copy(tmp_path):
    kept = shutil.ignore_patterns("build", "__pycache__")
    return Path(shutil.copytree(SUBJECT, tmp_path / "copy", ignore=kept))


@pytest.mark.nightly
def test_every_check_passes(tmp_path):
    code, printed = wheelproof(
        ROOT, "verify", "--subject", str(SUBJECT), "--output", str(tmp_path / "build")
    )
    assert code == 0 and "23 of 23 checks in order" in printed
    rows = json.loads((tmp_path / "build" / "results.json").read_text())["rows"]
    compiled = [row for row in rows if row["layer"] == "graph" and "compiled" in row["figures"]]
    assert len(compiled) == 2


# -- counterexamples


def test_a_counterexample_keeps_the_choice_and_is_reproduced_with_it(tmp_path, capsys):
    file = tmp_path / "found.json"
    counterexample().write(file)
    found = document.read(file)
    assert found == counterexample()
    assert [step.choice for step in found.steps if step.label == "B3"] == [("y",)]
    for on in "model", "impl":
        assert replay.run(file, on, root=SUBJECT) == 1
    assert "chooses y" in "\n".join(str(line) for line in columns.render(found, 100, SUBJECT))


@pytest.mark.parametrize("on", ["model", "impl"])
@pytest.mark.parametrize("choice", [[], ["x"], ["z"]])
def test_a_counterexample_with_another_choice_is_not_reproduced(tmp_path, on, choice):
    file = tmp_path / "found.json"
    made = counterexample().document()
    made["steps"][-1]["choice"] = choice
    file.write_text(json.dumps(made))
    with pytest.raises((NotReproduced, Diverged)):
        replay.run(file, on, root=SUBJECT)


def test_the_exported_test_has_the_choice_and_fails_on_the_mutant_alone(tmp_path):
    text = export.pytest(counterexample())
    assert "a=y" in text or "b=y" in text
    schedule = export.schedule_of(counterexample())
    here = SUBJECT / "tests" / "test_it.py"
    assert regression.check(here, "connection_pool", SCENARIO, "BorrowsOpen", schedule) > len(
        schedule
    )
    with pytest.raises(regression.Violated):
        regression.check(
            here, "connection_pool", SCENARIO, "BorrowsOpen", schedule, "BorrowsClosed"
        )
    metas = [state["#meta"] for state in json.loads(export.itf(counterexample()))["states"]]
    assert metas[-1]["choice"] == ["y"] and "choice" not in metas[-2]


def test_a_schedule_in_words_is_found_on_the_model():
    graph, schedule = broken()
    words = export.schedule_of(counterexample())
    again = labelled(graph.model, words, POOL.silent)
    assert [label for _, label in again] == [
        label for _, label in schedule if label not in POOL.silent
    ]
    with pytest.raises(Diverged, match="=z cannot move on the model"):
        labelled(graph.model, [*words[:-1], f"{words[-1][0]}=z"], POOL.silent)


def test_the_states_of_tlc_s_trace_show_what_was_chosen():
    graph, schedule = broken()
    model, state = graph.model, graph.model.initial()
    states = [state]
    for thread, label in schedule:
        (state,) = (
            after
            for mover, name, after in model.successors(states[-1])
            if (mover, name) == (thread, label)
            and getattr(name, "choice", ()) == getattr(label, "choice", ())
        )
        states.append(state)

    def values(state):
        names = (*model.variables, *model.process_variables)
        tla = {
            name: model.tla(name, piece)
            for name, piece in zip(names, model.pieces(state), strict=True)
        }
        return {
            name: Function(value) if isinstance(value, dict) else value
            for name, value in tla.items()
        }

    trace = tuple(
        TraceState(number, None if number == 1 else "A", "", values(each))
        for number, each in enumerate(states, 1)
    )
    result = TlcResult(Outcome.VIOLATED, property="BorrowsOpen", trace=trace)
    found = traced.schedule(model, result, "pc")
    assert [(thread, str(label)) for thread, label in found] == [
        (thread, str(label)) for thread, label in schedule
    ]
    assert found[-1][1].choice == ("y",)


# -- choices that one side lacks, as counterexamples


def test_a_missing_choice_is_a_counterexample_that_the_sound_code_does_not_reproduce(
    copy, tmp_path, capsys
):
    change(copy / "impl/connection_pool.py", "choose(known)", "choose((min(known),))")
    mechanism = find(copy)["connection_pool"]
    graph = reduced.reduce(mechanism.model(SCENARIO), mechanism.silent)
    implementation = ControlledImplementation.load(copy, "connection_pool")
    found = bisimulate(
        implementation,
        mechanism.scenarios[SCENARIO],
        reduced.rows(graph),
        reduced.shared_of(graph),
    )
    assert found.difference.kind == "choice", found.difference
    context = Context(mechanism, tmp_path / "out")
    file = (
        tmp_path
        / "out"
        / difference_file(
            context, graph.model, Config("c", SCENARIO), found.difference, "bisimulation", "c"
        )
    )
    assert replay.run(file, "impl", root=copy) == 1
    assert "never chooses" in capsys.readouterr().out
    with pytest.raises(NotReproduced, match="The implementation does not leave the model"):
        replay.run(file, "impl", root=SUBJECT)


# -- the specification as the model


def test_the_compiled_specification_has_the_model_s_choices():
    compiled, model = POOL.compiled_model(POOL.scenarios[SCENARIO]), POOL.model(SCENARIO)
    graphs = [reduced.reduce(each, POOL.silent) for each in (compiled, model)]
    assert difference(*map(explore, (compiled, model)), ("one", "other")) == ""
    keys = [Counter(move for row in reduced.rows(graph) for move in row) for graph in graphs]
    assert keys[0] == keys[1] and keys[0][0, ("y",)] > 0


def test_the_specification_alone_is_enough(copy):
    (copy / "model" / "connection_pool.py").unlink()
    change(copy / "spec/ConnectionPool.toml", "[model]", '[model]\nresult = "Result"')
    mechanism = find(copy)["connection_pool"]
    graph = reduced.reduce(mechanism.model(SCENARIO), mechanism.silent)
    sides = reduced.rows(graph), reduced.shared_of(graph)
    sound = ControlledImplementation.load(copy, "connection_pool")
    found = bisimulate(sound, mechanism.scenarios[SCENARIO], *sides)
    assert found.outcome == "equal" and found.uncovered == (), found.difference
    change(copy / "impl/connection_pool.py", "choose(known)", "choose(known | self.closed)")
    wrong = ControlledImplementation.load(copy, "connection_pool")
    found = bisimulate(wrong, mechanism.scenarios[SCENARIO], *sides)
    assert found.difference.kind == "choice", found.difference
    assert re.search(r"B3 can choose (x and )?y in the", found.difference.message)


# -- real threads


def test_production_chooses_each_value_and_none_of_nothing():
    assert {choose({"x", "y"}) for _ in range(200)} == {"x", "y"}
    with pytest.raises(IndexError):
        choose(())


def test_recordings_choose_freely_or_as_the_schedule_has_it():
    free = record(POOL, SCENARIO, "free", seed=3)
    assert follow({"connection_pool": POOL}, free).verdict == "conforms"
    chosen = set()
    for seed in range(4):
        schedule = random_schedule(POOL, SCENARIO, seed)
        made = record(POOL, SCENARIO, "directed", schedule=schedule)
        assert follow({"connection_pool": POOL}, made).verdict == "conforms"
        values = [getattr(label, "choice", ())[:1] for _, label in schedule if label == "B3"]
        returned = [
            event["value"] for event in made.events if event["k"] == "return" and event["value"]
        ]
        assert sorted(value[0] for value in values if value) <= sorted(returned)
        chosen.update(value[0] for value in values if value)
    assert chosen == {"x", "y"}


def test_a_recording_with_a_value_that_could_not_be_chosen_is_refused():
    made = record(POOL, SCENARIO, "directed", schedule=random_schedule(POOL, SCENARIO, 0))
    place = next(at for at, event in enumerate(made.events) if event.get("value") in ("x", "y"))
    made.events[place]["value"] = "z"
    verdict = follow({"connection_pool": POOL}, made)
    assert verdict.verdict == "violates"
