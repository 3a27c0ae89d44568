"""Row `properties`: a property that is weaker in spec or model is rejected by name."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.found import mechanisms
from tests.nights import by_night, only
from wheelproof.checks import agreement, drawing, samples
from wheelproof.checks.context import Context
from wheelproof.checks.drawing import candidates
from wheelproof.project import find
from wheelproof.project.mechanism import OfModel
from wheelproof.protocols import own_states
from wheelproof.tla.values import Map
from wheelproof.tlc.result import Outcome
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
MECHANISMS = mechanisms()

WEAKER = [
    ("delayed_operation", "CompletedOnce", r"CompletedOnce == \A o", r"CompletedOnce == \E o"),
    ("delayed_operation", "TypeOK", "expirations[o] \\in 0..1", "expirations[o] \\in 0..2"),
    ("delayed_operation", "OneTries", "yo[t] = yo[u] => t = u", "yo[t] = yo[u] => t = t"),
    ("timer_task_list", "AtMostOneList", r"AtMostOneList == \A e", r"AtMostOneList == \E e"),
    ("timer_task_list", "TypeOK", "/\\ entryMonitor \\in [Entries -> Monitor]", "/\\ TRUE"),
    ("system_timer", "FiredOnce", r"FiredOnce == \A e", r"FiredOnce == \E e"),
    (
        "timing_wheel",
        "KeyBeforeDeadline",
        r"KeyBeforeDeadline == \A b",
        r"KeyBeforeDeadline == \E b",
    ),
    (
        "read_write_lock",
        "WriterGoesFirst",
        "waiting = 0 /\\ writer = NULL",
        "waiting = 0 \\/ writer = NULL",
    ),
    ("delay_queue", "NotEarly", "NotEarly == \\A t", "NotEarly == \\E t"),
    ("read_write_lock", "TwoWritersWait", "waiting > 1", "waiting > 0"),
    ("atomic", "AsIfAtomic", "AsIfAtomic == exact /\\ held", "AsIfAtomic == exact \\/ held"),
]


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    """Of one scenario, and the states of fewer that are drawn: `make verify` takes them all."""
    monkeypatch.setattr(agreement, "SCENARIOS", {"fast": 1, "nightly": 1})
    monkeypatch.setattr(agreement, "DRAWN", 800)


def row(mechanism, tmp_path):
    return agreement.check(Context(mechanism, tmp_path)).rows[0]


@pytest.mark.parametrize(
    "mechanism, name, old, new",
    only(
        [pytest.param(*each, id=f"{each[0]}.{each[1]}") for each in WEAKER],
        "atomic.AsIfAtomic",
    ),
)
def test_a_property_that_is_weaker_in_the_spec_is_named(mechanism, name, old, new, tmp_path):
    declared = MECHANISMS[mechanism]
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    spec = tmp_path / "spec" / declared.checked.name
    text = spec.read_text(encoding="utf-8")
    assert text.count(old) == 1
    spec.write_text(text.replace(old, new), encoding="utf-8")
    found = row(replace(declared, toml=tmp_path / "spec" / declared.toml.name), tmp_path / "out")
    assert (found.ok, found.verdict, found.property) == (False, Verdict.VIOLATED, name)
    assert f"{name} is True in the spec and False in the model" in found.why


@pytest.mark.parametrize(
    "name, weaker",
    [("atomic", "AsIfAtomic"), by_night(("read_write_lock", "WriterGoesFirst"))],
)
def test_a_property_that_is_weaker_in_the_model_is_named(name, weaker, tmp_path, monkeypatch):
    mechanism = MECHANISMS[name]
    monkeypatch.setattr(mechanism.model_module.Model, weaker, lambda self: True)
    found = row(mechanism, tmp_path)
    assert (found.ok, found.verdict, found.property) == (False, Verdict.VIOLATED, weaker)
    assert "False in the spec and True in the model" in found.why


def noted(mechanism, *names):
    """The mechanism whose declaration lists these witnesses."""
    return replace(mechanism, of_model=replace(mechanism.of_model, witnesses=names))


def test_a_witness_that_one_side_lacks_is_named(tmp_path, monkeypatch):
    mechanism = MECHANISMS["atomic"]
    assert agreement.missing(mechanism) is None
    found = row(noted(mechanism, "SeesHalf"), tmp_path)
    assert (found.ok, found.verdict, found.property) == (False, Verdict.VIOLATED, "Refused")
    says = "the model lists Refused in WITNESSES, and [model] of spec/Atomic.toml does not"
    assert says in found.why
    more = noted(mechanism, "SeesHalf", "Refused", "Planted")
    name, why = agreement.missing(more)
    assert name == "Planted" and why.endswith("lists Planted, and the model's WITNESSES do not")
    model = more.model_module.Model
    monkeypatch.setattr(model, "WITNESSES", ("SeesHalf", "Refused", "Planted"))
    name, why = agreement.missing(more)
    assert name == "Planted" and why.endswith("WITNESSES, and has no such method")
    monkeypatch.setattr(model, "Planted", model.SeesHalf, raising=False)
    name, why = agreement.missing(more)
    assert name == "Planted" and why.startswith("spec/AtomicProperties.tla defines no Planted")


def test_a_witness_that_tlc_sees_elsewhere_is_named():
    sample = samples.Sample(
        "refused", MECHANISMS["atomic"].model("refused"), [], [{"Refused": True}], [False]
    )
    sample.states.append(sample.model.initial())
    found = agreement.difference(sample, {0: {"Refused": False}})
    assert (
        found[0] == "Refused" and "Refused is False in the spec and True in the model" in found[1]
    )


def test_the_row_is_sampled_where_both_agree(tmp_path):
    found = row(MECHANISMS["atomic"], tmp_path)
    assert (
        found.ok
        and found.verdict is Verdict.SAMPLED
        and (found.layer, found.name) == ("graph", "properties")
    )
    assert (
        found.figures["states"] == agreement.STATES * len(MECHANISMS["atomic"].of_model.sampled)
        and found.figures["one_sided"] == 0
    )


# of every mechanism the row `properties` demands the same, in each `make verify`
@pytest.mark.parametrize("mechanism", ["atomic", "overflow_wheel", "task_executor"])
def test_the_drawn_states_show_both_truth_values_of_every_property(mechanism):
    chosen = agreement.choice(MECHANISMS[mechanism])
    assert [
        name
        for name in samples.invariants(MECHANISMS[mechanism])
        if not any(each.rarity(name) for each in chosen)
    ] == []


def test_by_day_the_scenarios_of_the_day_are_drawn_from_unless_they_are_few():
    wheel = replace(MECHANISMS["timing_wheel"], of_model=OfModel())
    configs = [each for each in wheel.configs.values() if not each.module]
    day = {each.scenario for each in configs if each.profile == "fast"}
    assert set(candidates(wheel, "fast", len(day))) == day
    every = {each.scenario for each in configs}
    assert day < every == set(candidates(wheel, "nightly", len(day)))
    assert set(candidates(wheel, "fast", len(day) + 1)) == every


def test_by_day_the_declared_scenarios_are_drawn_from_and_by_night_all():
    atomic = MECHANISMS["atomic"]
    declared = replace(atomic, of_model=replace(atomic.of_model, sampled=("objects",)))
    assert [each.scenario for each in agreement.choice(declared, "fast")] == ["objects"]
    assert "objects" not in [each.scenario for each in agreement.choice(declared, "nightly")]


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_declared_scenarios_show_as_much_as_a_choice_of_the_check(mechanism, monkeypatch):
    monkeypatch.undo()
    known = MECHANISMS[mechanism]
    assert known.of_model.sampled

    def one_sided(of):
        chosen = agreement.choice(of, "fast")
        names = samples.invariants(of)
        return {name for name in names if not any(each.rarity(name) for each in chosen)}

    assert one_sided(known) <= one_sided(replace(known, of_model=OfModel()))


def looked_for(mechanism, monkeypatch):
    """The (scenario, property) of each look for a property that no sample breaks, in order."""
    looks = []

    def noted(self, name, number):
        looks.append((self.scenario, name))
        return False

    monkeypatch.setattr(agreement, "FIRST", 4)
    monkeypatch.setattr(agreement, "DRAWN", 4)
    monkeypatch.setattr(agreement, "SCENARIOS", {"fast": 1, "nightly": 1})
    monkeypatch.setattr(agreement.Source, "shows", noted)
    monkeypatch.setattr(samples.Sample, "rarity", lambda self, name: 0)
    agreement.choice(mechanism)
    return looks


def test_a_property_is_looked_for_where_a_mutant_breaks_it_before_other_scenarios(monkeypatch):
    known = MECHANISMS["atomic"]
    mutant = next(each for each in known.mutants.values() if each.property)
    looks = looked_for(known, monkeypatch)
    of_name = [scenario for scenario, name in looks if name == mutant.property]
    assert of_name[0] == mutant.scenario and len(of_name) > len(set(of_name))
    without = looked_for(replace(known, mutants={}), monkeypatch)
    of_name = [scenario for scenario, name in without if name == mutant.property]
    assert len(of_name) == len(set(of_name)) == len(candidates(known, "nightly", 1)) - 1


def test_a_machine_with_other_variables_gives_no_state():
    mechanism = MECHANISMS["task_executor"]
    twice = mechanism.without("HandsOverTwice").model("adds")
    assert set(twice.process_variables) - set(mechanism.model("adds").process_variables) == {
        "again"
    }
    found = agreement.Source(mechanism, "adds").sample(agreement.FIRST)
    for state in found.states:
        texts = agreement.texts_of(found.model, state, {})
        assert not any("again" in text for text in texts)


def failing(*numbers):
    """A run of TLC that cannot judge states of these numbers, which are those of all states."""

    def by_tlc(context, sample, check):
        for place, state in enumerate(sample.states):
            if state in numbers:
                return SimpleNamespace(
                    outcome=Outcome.ERROR, exit_code=75, generated=place, explanation="no value"
                ), {}
        return SimpleNamespace(
            outcome=Outcome.COMPLETED, exit_code=0, generated=len(sample.states)
        ), dict(enumerate(sample.truths))

    return by_tlc


def sample_of(*by_mixing):
    numbers = range(len(by_mixing))
    return samples.Sample(
        "adds", None, list(numbers), [{"TypeOK": number % 2 == 0} for number in numbers], by_mixing
    )


def test_a_mixed_state_that_tlc_cannot_judge_goes_with_its_truth_values(monkeypatch):
    monkeypatch.setattr(samples, "by_tlc", failing(1, 3))
    sample, result, theirs = samples.judged_by_tlc(
        None, sample_of(False, True, True, True, True), "row"
    )
    assert result.outcome is Outcome.COMPLETED
    assert sample.states == [0, 2, 4] and sample.by_mixing == [False, True, True]
    assert theirs == {number: {"TypeOK": True} for number in range(3)}
    assert agreement.difference(sample, theirs) is None


@pytest.mark.parametrize(
    "numbers, by_mixing",
    [((2,), (True, True, False)), (range(samples.UNJUDGED + 1), (True,) * 20)],
    ids=["on a schedule", "too many"],
)
def test_other_states_that_tlc_cannot_judge_are_an_error(monkeypatch, numbers, by_mixing):
    monkeypatch.setattr(samples, "by_tlc", failing(*numbers))
    assert samples.judged_by_tlc(None, sample_of(*by_mixing), "row")[1].outcome is Outcome.ERROR


def test_a_property_without_value_in_the_spec_is_refused(tmp_path):
    mechanism = MECHANISMS["atomic"]
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    spec = tmp_path / "spec" / mechanism.checked.name
    text = spec.read_text(encoding="utf-8")
    assert text.count("TypeOK == ") == 1
    spec.write_text(
        text.replace("TypeOK == ", "TypeOK == <<TRUE>>[2] /\\ TRUE\nKept == "), encoding="utf-8"
    )
    found = row(replace(mechanism, toml=tmp_path / "spec" / mechanism.toml.name), tmp_path / "out")
    assert (found.ok, found.verdict) == (False, Verdict.REFUSED) and "tuple <<TRUE>>" in found.why


def test_properties_that_no_state_breaks_make_it_vacuous(tmp_path, monkeypatch):
    known = MECHANISMS["atomic"]
    mechanism = replace(known, properties={"TypeOK": known.properties["TypeOK"]})
    monkeypatch.setattr(mechanism.model_module.Model, "TypeOK", lambda self: True)
    monkeypatch.setattr(
        samples,
        "by_tlc",
        lambda context, sample, check: (
            SimpleNamespace(outcome=Outcome.COMPLETED, exit_code=0, generated=0),
            dict(enumerate(sample.truths)),
        ),
    )
    found = row(mechanism, tmp_path)
    assert (found.ok, found.verdict) == (
        False,
        Verdict.VACUOUS,
    ) and "both truth values of TypeOK" in found.why


COMPARED = {
    "Distinct": "items # tickets",
    "NoneIsBoth": "{items} \\cap {tickets, <<1>>} = {}",
    "NoneIsIndex": "[of \\in {items} |-> TRUE] # [of \\in {tickets} |-> TRUE]",
}


@pytest.fixture
def without_model(tmp_path):
    """The example without a model by hand, with invariants that compare sequences."""
    shutil.copytree(ROOT / "examples/bounded_buffer", tmp_path / "subject")
    spec = tmp_path / "subject/spec/BoundedBuffer.tla"
    text = spec.read_text(encoding="utf-8").rstrip().rstrip("=")
    formulas = "".join(f"{name} == {formula}\n" for name, formula in COMPARED.items())
    spec.write_text(f"{text}{formulas}====\n", encoding="utf-8")
    toml = spec.with_suffix(".toml")
    declared = "".join(f'{name} = "two sequences are not the same"\n' for name in COMPARED)
    old, new = "[properties.invariant]\n", f"[properties.invariant]\n{declared}"
    toml.write_text(toml.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    return find(tmp_path / "subject")["bounded_buffer"]


@pytest.mark.nightly
def test_equality_of_functions_is_tlcs_in_states_of_several_models(without_model, tmp_path):
    found = row(without_model, tmp_path)
    assert found.ok and found.verdict is Verdict.SAMPLED, found.why
    assert found.figures["one_sided"] == 0


@pytest.mark.nightly
def test_equality_by_identity_of_another_models_values_is_refused(
    without_model, tmp_path, monkeypatch
):
    monkeypatch.setattr(agreement, "own_states", lambda model, states: states)
    found = row(without_model, tmp_path)
    assert (found.ok, found.verdict) == (False, Verdict.VIOLATED)
    assert found.property in COMPARED and f"{found.property} is False in the spec" in found.why


def test_functions_and_sequences_are_moved(without_model):
    scenario = "two_producers"
    model, draw = without_model.model(scenario), random.Random(scenario)
    states = own_states(model, drawing.reachable(without_model, scenario, draw))
    reached = {value for shared, _ in states for value in shared}
    drawn = [drawing.mix(states, draw, model.threads)[0] for _ in range(agreement.FIRST)]
    fresh = {value for shared in drawn for value in shared} - reached
    assert {type(value) for value in fresh} >= {Map}
