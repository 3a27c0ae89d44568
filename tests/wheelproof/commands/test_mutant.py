"""``wheelproof mutant``: the page of a decision, and which one a name means."""

from io import StringIO

import pytest

from tests.found import mechanisms
from tests.model.artefacts import ROOT
from wheelproof.commands import mutant
from wheelproof.console import console
from wheelproof.counterexample import columns
from wheelproof.errors import UsageError

MECHANISMS = mechanisms()


def shown(name, tmp_path, width=100):
    out = StringIO()
    code = mutant.run(name, ROOT, tmp_path, console(out, width), columns.ASCII)
    return code, out.getvalue()


@pytest.mark.nightly
def test_changes_verdict_and_counterexample_are_on_one_page(tmp_path):
    code, text = shown("timer_task_list/M19_underflow", tmp_path)
    assert code == 0
    assert text.startswith("M19: a remove decrements the counter whether it unlinks or not\n")
    for part in (
        "spec/TimerTaskList.tla  U3",
        "model/timer_task_list.py  U3",
        "impl/timer_task_list.py  U9",
    ):
        assert part in text
    assert (
        "  - U3:  if list[ue] # ul then goto U10; end if;\n"
        "  + U3:  if list[ue] # ul then goto U9; end if;" in text
    )
    assert (
        "killed: M19 by CounterExact at depth" in text and "killed: M19_underflow by TypeOK" in text
    )
    assert "is violated after step" in text and "wheelproof replay" in text


def test_a_name_that_several_mechanisms_have_is_refused():
    with pytest.raises(
        UsageError,
        match="2 decisions of this name. Say which: .*system_timer/M9.*timer_task_list/M9",
    ):
        mutant.choose(MECHANISMS, "M9")
    mechanism, decision = mutant.choose(MECHANISMS, "system_timer/M9")
    assert (mechanism.name, decision.name) == ("system_timer", "M9")


def test_a_mutant_stands_for_its_decision():
    assert mutant.choose(MECHANISMS, "M2_masked")[1].name == "M2"


def test_an_unknown_name_is_refused():
    with pytest.raises(UsageError, match="has a decision or a mutant 'Nothing'"):
        mutant.choose(MECHANISMS, "Nothing")
