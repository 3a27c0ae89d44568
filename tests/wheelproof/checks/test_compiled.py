"""The compiled specification: in rows of graphs, and in place of TLC in mutants."""

import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.model.timer import MECHANISM
from tests.nights import only
from wheelproof.checks import compiled, machine, mutant, prepare, safety
from wheelproof.errors import UsageError
from wheelproof.project.mechanism import Mechanism
from wheelproof.tla.model import CompiledModel
from wheelproof.tla.syntax import OutsideSubset, Place

CONFIG = replace(MECHANISM.configs["remove_cancel"], generated=290, distinct=166, depth=24)
KILLED = MECHANISM.mutants["M19_underflow"]
EQUIVALENT = replace(MECHANISM.mutants["M5"], scenario="remove_cancel")


@pytest.fixture
def without_tlc(context, monkeypatch):
    monkeypatch.setattr(type(context), "tlc", lambda *_, **__: pytest.fail("TLC was run"))
    return context


def graph_row(context):
    rows = safety.check(replace(context, layers=frozenset({"graph"})), CONFIG).rows
    return next(row for row in rows if row.layer == "graph")


def compiling(monkeypatch, change):
    """Compile what ``change`` makes of the mechanism."""
    plain = Mechanism.compiled_model
    monkeypatch.setattr(
        Mechanism, "compiled_model", lambda self, program: plain(change(self), program)
    )


def refusing(monkeypatch):
    def refuse(self, program):
        raise OutsideSubset("ENABLED", Place("M", 7))

    monkeypatch.setattr(Mechanism, "compiled_model", refuse)


# -- layer graph


def test_the_row_of_a_graph_compares_the_compiled_specification(context):
    row = graph_row(context)
    assert row.ok, row.why
    assert row.figures["compiled"] == "every edge" and "model" not in row.figures


def test_a_compiled_specification_that_differs_is_a_finding_by_name(context, monkeypatch):
    compiling(monkeypatch, lambda mechanism: mechanism.without("M19"))
    row = graph_row(context)
    assert not row.ok and (row.verdict, row.property) == ("violated", "SameGraph")
    assert "the model alone has the step U3 of c with pc" in row.why


def test_a_specification_outside_of_the_subset_is_named_in_the_row(context, monkeypatch):
    refusing(monkeypatch)
    row = graph_row(context)
    assert row.ok
    assert row.figures["compiled"].startswith("no: module M, line 7: ENABLED is outside of")


NAMED = "RemoveComesTooLate"


def weaker(self):
    return any(t.pc == "U3" for t in self.processes)


def test_a_witness_that_another_state_has_in_the_model_is_named(context, monkeypatch):
    monkeypatch.setattr(MECHANISM.model_module.Model, NAMED, weaker)
    row = graph_row(context)
    assert not row.ok and (row.verdict, row.property) == ("violated", NAMED)
    says = f"{NAMED} is True in the model and False in the compiled specification, in the state"
    assert says in row.why and '|-> "U3"' in row.why


def test_a_witness_that_another_state_has_in_the_specification_is_named(
    context, monkeypatch, tmp_path
):
    shutil.copytree(MECHANISM.root / "spec", tmp_path / "spec")
    module = tmp_path / "spec" / MECHANISM.checked.name
    text = module.read_text(encoding="utf-8")
    assert text.count("list[ue[t]] # ul[t]") == 1
    module.write_text(text.replace("list[ue[t]] # ul[t]", "TRUE"), encoding="utf-8")
    toml = tmp_path / "spec" / MECHANISM.toml.name
    compiling(monkeypatch, lambda mechanism: replace(mechanism, toml=toml))
    row = graph_row(context)
    assert not row.ok and (row.verdict, row.property) == ("violated", NAMED)
    assert f"{NAMED} is False in the model and True in the compiled specification" in row.why


def test_a_witness_outside_of_the_subset_is_left_to_tlc(context, monkeypatch):
    def refuse(*arguments):
        raise OutsideSubset("ENABLED", Place("M", 7))

    monkeypatch.setattr(machine.same, "judgement", refuse)
    row = graph_row(context)
    assert row.ok
    assert row.figures["compiled"].startswith("every edge, and no witness: module M, line 7")


# -- layer mutant


@pytest.mark.parametrize(
    "item",
    only([pytest.param(KILLED, id="killed"), pytest.param(EQUIVALENT, id="equivalent")], "killed"),
)
def test_a_mutant_takes_no_run_of_tlc_and_has_tlcs_row(item, context, without_tlc):
    (row,) = mutant.check(without_tlc, [item]).rows
    assert row.ok, row.why
    assert row.figures["specification"] == "compiled"
    assert (row.verdict == "violated") is (item is KILLED) and row.figures["rejected_at"] > 0


@pytest.mark.nightly
def test_tlc_gives_the_same_row(context):
    rows = [
        mutant.check(replace(context, profile=profile), [KILLED]).rows[0]
        for profile in ("fast", "nightly")
    ]
    fast, nightly = ({**row.figures} for row in rows)
    assert (fast.pop("specification"), nightly.pop("specification")) == ("compiled", "TLC")
    assert fast == nightly and [row.property for row in rows] == ["TypeOK"] * 2


def test_a_changed_specification_that_is_not_the_changed_model_is_a_fault(without_tlc, monkeypatch):
    compiling(monkeypatch, lambda mechanism: MECHANISM)
    (row,) = mutant.check(without_tlc, [KILLED]).rows
    assert not row.ok and row.verdict == "exhaustive"
    assert "mutated spec and mutated model differ: the mutated model alone has" in row.why
    assert "the step U3 of c with pc" in row.why and "depth_spec None" in row.why


def test_tlc_judges_what_cannot_be_compiled(context, monkeypatch):
    refusing(monkeypatch)
    (row,) = mutant.check(context, [KILLED]).rows
    assert row.ok and row.figures["specification"] == "TLC"


def test_a_fair_run_that_does_not_end_breaks_a_liveness_property(context):
    changed = replace(context, mechanism=MECHANISM.without("M4"))
    config = next(each for each in MECHANISM.mutants.values() if each.decision == "M4")
    graph = compiled.graph_of(changed, config.scenario, 1_000_000)
    result = compiled.judge(changed, graph, liveness=("Termination",))
    assert result.property == "Termination" and result.stuttering
    assert compiled.judge(changed, graph, deadlock=True).property == "NoDeadlock"
    assert len(compiled.judge(changed, graph, deadlock=True).trace) == len(result.trace)


def test_a_mechanism_without_a_model_by_hand_has_to_be_compiled(monkeypatch):
    monkeypatch.setattr(Mechanism, "by_hand", False)
    prepare.models([MECHANISM])
    refusing(monkeypatch)
    with pytest.raises(UsageError, match="module M, line 7: ENABLED is outside"):
        prepare.models([MECHANISM])


def test_each_invariant_liveness_property_and_witness_is_compiled_before_the_checks(monkeypatch):
    monkeypatch.setattr(Mechanism, "by_hand", False)
    compiled_names = set()
    monkeypatch.setattr(CompiledModel, "predicate", lambda _, name: compiled_names.add(name))
    prepare.models([MECHANISM])
    kinds = {item.name: item.kind for item in MECHANISM.properties.values()}
    stated = {name for name, kind in kinds.items() if kind in ("invariant", "liveness")}
    assert {kinds[name] for name in stated} == {"invariant", "liveness"}
    assert compiled_names == stated | set(MECHANISM.witnesses)


@pytest.mark.parametrize(
    ("layers", "profile", "mutants", "without"),
    [
        (("graph",), "fast", (), True),
        (("mutant",), "fast", ("fast",), False),
        (("mutant",), "nightly", ("fast", "nightly"), False),
        (("graph", "mutant"), "fast", ("fast",), True),
        (("tlc",), "fast", (), False),
    ],
)
def test_the_modules_that_the_checks_need_are_compiled_before_them(
    layers, profile, mutants, without, monkeypatch
):
    monkeypatch.setattr(prepare.export, "source", lambda checked, specs: checked)
    monkeypatch.setattr(
        Mechanism, "without", lambda self, decision: SimpleNamespace(checked=decision, specs={})
    )
    sources = set(prepare.trees([MECHANISM], profile, lambda *names: bool({*names} & {*layers})))
    declared = MECHANISM.mutants.values()
    by_profile = {item.decision for item in declared if item.profile in mutants}
    configs = {item.without for item in MECHANISM.configs.values() if not item.module}
    assert {item.profile for item in declared} == {"fast", "nightly"}
    assert sources == by_profile | (configs | {""} if without else set())


def test_tlc_judges_a_graph_beyond_its_bound(context):
    scenario = EQUIVALENT.scenario
    assert compiled.graph_of(context, scenario, 10) is None
    assert compiled.graph_of(context, scenario, 1_000).distinct == CONFIG.distinct
    assert compiled.graph_of(replace(context, profile="nightly"), scenario, 1_000) is None
