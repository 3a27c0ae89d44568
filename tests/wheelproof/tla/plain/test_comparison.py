"""Any module is explored with TLC's counts, and a difference is never silent."""

import pytest

from tests.wheelproof.tla.plain.modules import COUNTER, MODULES, subject
from wheelproof.errors import UsageError
from wheelproof.tla import export, standard
from wheelproof.tla.plain import exploration
from wheelproof.tla.plain.comparison import Agreement, compare
from wheelproof.tla.syntax import OutsideSubset
from wheelproof.tla.values import Undefined


@pytest.fixture(scope="module")
def subjects(tmp_path_factory):
    """Name -> subject, exported by one JVM."""
    out = {
        name: subject(tmp_path_factory.mktemp(name), name, *texts)
        for name, texts in MODULES.items()
    }
    export.prepare(entry.source for entry in out.values())
    return out


def compared(item):
    return compare(item, item.machine(), 1000, 100)


@pytest.mark.daily(2)
@pytest.mark.parametrize("name", MODULES)
def test_counts_are_those_of_tlc(name, subjects):
    comparison = compared(subjects[name])
    assert comparison.refusal is None
    explored, tlc = comparison.explored, comparison.tlc
    assert (explored.distinct, explored.generated) == (tlc.distinct, tlc.generated), tlc
    assert comparison.agreement is Agreement.EQUAL
    broken = {"Stuck": exploration.DEADLOCK, "Broken": "Alone"}
    assert explored.violated == broken.get(name, "")


def test_a_violation_has_the_steps_of_a_run(subjects):
    explored = exploration.explore(subjects["Broken"].machine())
    labels = [label for label, _ in explored.trace()]
    assert labels == [None, ("Enter", ("left",)), ("Enter", ("right",))]


def test_a_wrong_operator_of_the_compiled_code_is_a_difference(subjects, monkeypatch):
    monkeypatch.setitem(standard._CALLS, "Append", "sequence((*items({0}), 1))")
    comparison = compared(subjects["Lettered"])
    assert comparison.agreement is Agreement.DIFFERENT


def test_a_wrong_count_of_ways_is_a_difference_in_generated_states(subjects, monkeypatch):
    monkeypatch.setattr("wheelproof.tla.plain.forms.Forms.branches", lambda self, node: False)
    assert compared(subjects["SeveralStarts"]).agreement is Agreement.DISTINCT


def test_a_module_that_tlc_does_not_have_is_a_difference(subjects, tmp_path, monkeypatch):
    text, config = MODULES["Lettered"]
    other = subject(tmp_path, "Lettered", text.replace(">= 2", ">= 3"), config)
    comparison = compare(subjects["Lettered"], other.machine(), 1000, 100)
    assert comparison.agreement is Agreement.DIFFERENT


def test_too_many_states_are_inconclusive(subjects):
    with pytest.raises(exploration.TooLarge) as caught:
        exploration.explore(subjects["Bag"].machine(), 5)
    assert caught.value.exit_code == 3


REFUSED = {
    "Composed": ("(x' = 1) \\cdot (x' = 2)", "", "\\cdot"),
    "Unbounded": ("x' = CHOOSE y : y # x", "", "CHOOSE without a set"),
    "Chosen": ("\\E y : y = x /\\ x' = y", "", "\\E without a set"),
    "ForAll": ("\\A i \\in 1..2 : x' = i", "", "x' before it has a value"),
    "Infinite": ("x' \\in Nat", "", "Nat of module Naturals"),
    "Remembered": ("x' = TLCGet(1)", "", "TLCGet of module TLC"),
    "Temporal": ("x' = x", "INVARIANT Always", "Always, which is no formula of one state,"),
}


@pytest.mark.daily(4)
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_outside_is_refused_with_module_and_line(name, tmp_path):
    step, config, operator = REFUSED[name]
    text = f"""
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next ==
  {step}
Always == [](x = 0)
"""
    with pytest.raises(OutsideSubset) as caught:
        subject(tmp_path, name, text, f"INIT Init NEXT Next {config}").machine()
    assert operator in str(caught.value)
    line = 7 if name == "Temporal" else 6
    assert str(caught.value).startswith(f"module {name}, line {line}:")


UNFIT = {
    "the statement CONSTRANT is not read": "CONSTRANT Foo INIT Init NEXT Next",
    "has neither SPECIFICATION nor INIT and NEXT": "CONSTANT Limit = 1",
    "gives the constant Limit no value": "SPECIFICATION Spec",
    "has no constant Other": "CONSTANTS Limit = 1 Other = 2 SPECIFICATION Spec",
    "has no Absent": "CONSTANTS Limit = 1 Absent <- Init SPECIFICATION Spec",
    "defines no Missing": "CONSTANT Limit = 1 SPECIFICATION Missing",
    "'@' cannot be read": "CONSTANT Limit = @ SPECIFICATION Spec",
}


@pytest.mark.parametrize("fault", UNFIT)
def test_a_cfg_file_that_does_not_fit_is_refused(fault, tmp_path):
    with pytest.raises(UsageError) as caught:
        subject(tmp_path, "Counter", COUNTER, UNFIT[fault]).machine()
    assert fault in str(caught.value) and caught.value.remedy


def test_a_false_assumption_is_refused(tmp_path):
    text = COUNTER.replace("VARIABLE n", "VARIABLE n\nASSUME Even == Limit % 2 = 0")
    machine = subject(tmp_path, "Counter", text, "CONSTANT Limit = 3 SPECIFICATION Spec").machine()
    with pytest.raises(UsageError, match="ASSUME Even is false"):
        machine.assume()


def test_a_step_that_leaves_a_variable_open_has_no_value(tmp_path):
    text = "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nOnly == x' = 1\nNext == Only"
    machine = subject(tmp_path, "Open", text, "INIT Init NEXT Next").machine()
    with pytest.raises(Undefined, match="gives y no value"):
        exploration.explore(machine)
