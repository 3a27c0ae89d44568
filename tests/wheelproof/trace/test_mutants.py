"""Every mutant that breaks a safety property: its recorded run is refused by the table of rules,
under the rule that `refused.toml` names, and shrunk to a few events that are refused as well."""

import pytest

from tests.wheelproof.trace.followed import by_model
from tests.wheelproof.trace.recorded import REFUSED, ROOT, mechanisms, mutant_of
from wheelproof.pipeline import law, shrinking
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES
from wheelproof.trace.recording.record import record

DELAYED = {("overflow_wheel", name) for name in ("PlainWheel", "M6", "M7")}
"""Mutants whose fault shows only where memory delays stores, and those of recorded threads are seen
at once."""


@pytest.mark.parametrize("mechanism", sorted({mechanism for mechanism, _ in REFUSED}))
def test_every_safety_mutant_is_refused_or_has_a_reason(mechanism):
    declared = mechanisms()[mechanism]
    safety = {
        (mechanism, name)
        for name, mutant in declared.mutants.items()
        if mutant.property
        and declared.properties[mutant.property].kind != "liveness"
        and not mutant.untraced
    }
    assert safety - DELAYED <= {key for key in REFUSED if key[0] == mechanism}


@pytest.mark.daily(90)
@pytest.mark.parametrize(("mechanism", "name"), sorted(REFUSED))
def test_mutant_is_refused_by_its_rule_and_shrunk(mechanism, name, tmp_path):
    recorded = mutant_of(mechanism, name)
    assert recorded.mutant == mechanisms()[mechanism].mutants[name].decision
    recorded.write(tmp_path / "whole.jsonl")
    verdict = law.of_file(tmp_path / "whole.jsonl")
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, REFUSED[mechanism, name])
    small = shrinking.shrunk(tmp_path / "whole.jsonl")
    assert small.property == REFUSED[mechanism, name] and list(small.lines) == sorted(small.lines)
    assert len(small.events) <= min(20, len(recorded.events))
    again = law.verdict_on(small.header, small.events, small.footer)
    assert again.verdict == VIOLATES
    assert small.property in {finding.property for finding in again.findings}


@pytest.mark.daily(2)
@pytest.mark.parametrize(("mechanism", "name"), sorted(DELAYED))
def test_fault_that_needs_delayed_stores_conforms(mechanism, name):
    """The control: a run that shows no fault is not refused."""
    mutant = mechanisms()[mechanism].mutants[name]
    recorded = record(mechanisms(), mechanism, mutant.scenario, name, mutant=name)
    verdict = law.verdict_on(recorded.header, recorded.events, recorded.footer)
    assert mutant.data_race and verdict.verdict == CONFORMS


def rows() -> list[list[str]]:
    """The rows of the page: mechanism, mutant, where model and table refuse, rule."""
    page = (ROOT / "docs" / "trace-replay.md").read_text(encoding="utf-8")
    table = page.partition("| mechanism | mutant | the model refuses |")[2].partition("\n\n")[0]
    return [
        [cell.strip(" `") for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]
    ]


@pytest.mark.daily(36)
@pytest.mark.parametrize("row", rows(), ids=lambda row: "-".join(row[:2]))
def test_page_says_where_a_mutant_is_refused(row):
    mechanism, name, *places = row
    recorded = mutant_of(mechanism, name)
    trace = recorded.header, recorded.events, recorded.footer
    model, rule = by_model(*trace)[0].first, law.verdict_on(*trace).first
    shown = rule.event["k"] if rule.event else "at the end"
    assert places == [model.event["k"], shown, rule.property] and len(rows()) > 50
