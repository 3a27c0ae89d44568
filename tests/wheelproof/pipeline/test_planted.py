"""Each planted fault breaks the rule that it is for, on DuckDB: the loop of those who write a rule.

`-m ""` takes all rules, and `-k RULE` one of them.
"""

import checked
import planted
import pytest

from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from tests.nights import only
from traces.bulk import FAMILIES


@pytest.fixture(scope="module")
def conforming():
    return Simulator(3, 30).run()


def family_of(rule):
    return next(each for each in FAMILIES if rule in {one.name for one in each.rules})


@pytest.mark.parametrize("rule", only(list(planted.CHANGES), "FirstAttemptWins"))
def test_a_planted_fault_breaks_its_rule_and_a_right_run_does_not(rule, conforming):
    right = header("right"), conforming, checked.footer_of(header("right"), conforming)
    fault = planted.faults(conforming)[rule]
    (_, sound), (_, broken) = checked.on_duckdb([right, fault], [family_of(rule)])
    assert not sound and broken[rule]
