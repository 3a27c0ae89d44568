"""CrossHair on the elections: the contracts are confirmed, and refuted without a decision.

By day the same contracts run on all inputs of three replicas.
"""

from __future__ import annotations

import itertools
import sys
from types import ModuleType

import pytest

from proofs.crosshair import elections, elections_table, table

NEEDED = elections_table.needed()
DECISIONS = sorted({name for names in NEEDED.values() for name in names})
FUNCTIONS = [name for name in vars(elections) if name.endswith("_leader_election")]

REPLICAS = (1, 2, 3)
ORDERS = [list(each) for n in (1, 2, 3) for each in itertools.permutations(REPLICAS, n)]
ISRS = [list(each) for n in (0, 1, 2) for each in itertools.permutations(REPLICAS, n)]
LIVE = [set(each) for n in (0, 1, 2) for each in itertools.combinations(REPLICAS, n)]
GOING = [set(each) for n in (0, 1) for each in itertools.combinations(REPLICAS, n)]


def refuted(names):
    """The contracts that an input of three replicas refutes."""
    found = set()
    inputs = itertools.product(elections.KINDS, ORDERS, ISRS, LIVE, GOING, (False, True))
    for given in inputs:
        for name in names:
            if name not in found and not getattr(elections, name)(*given):
                found.add(name)
        if len(found) == len(names):
            break
    return found


def contracts_of(decision):
    return sorted(name for name, needs in NEEDED.items() if decision in needs)


@pytest.fixture
def changed(monkeypatch):
    """Let the contracts run the elections without a decision."""

    def change(decision):
        made = ModuleType("impl.partition_leader")
        monkeypatch.setitem(sys.modules, made.__name__, made)
        exec(compile(elections_table.without(decision), decision, "exec"), vars(made))
        for name in FUNCTIONS:
            monkeypatch.setattr(elections, name, getattr(made, name))

    return change


def test_every_contract_has_a_decision_that_it_needs():
    assert set(NEEDED) == set(table.contracts(elections)) and all(NEEDED.values())
    assert len(FUNCTIONS) == len(elections.KINDS)


def test_every_contract_holds_of_three_replicas():
    assert refuted(NEEDED) == set()


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_contract_is_refuted_by_name_without_its_decision(decision, changed):
    changed(decision)
    assert refuted(contracts_of(decision)) == set(contracts_of(decision))


@pytest.mark.nightly
@pytest.mark.parametrize("name", NEEDED)
def test_crosshair_confirms_a_contract_over_all_paths(name, tmp_path):
    code = (table.ROOT / elections_table.CODE).read_text(encoding="utf-8")
    elections_table.prepare(tmp_path, code)
    assert elections_table.check(tmp_path, [name])[name].verdict == "confirmed"


@pytest.mark.nightly
@pytest.mark.parametrize("decision", DECISIONS)
def test_crosshair_refutes_a_contract_and_python_confirms_the_counterexample(
    decision, changed, tmp_path
):
    names = contracts_of(decision)
    elections_table.prepare(tmp_path, elections_table.without(decision))
    found = elections_table.check(tmp_path, names)
    assert {name: outcome.verdict for name, outcome in found.items()} == dict.fromkeys(
        names, "refuted"
    )
    known = table.contracts(elections)
    calls = [(name, call) for name in names for call in found[name].calls]
    assert {name for name, _ in calls} == set(names)
    assert all(table.confirmed(elections, known[name], call) != "" for name, call in calls)
    changed(decision)
    for name, call in calls:
        assert table.confirmed(elections, known[name], call) == ""
