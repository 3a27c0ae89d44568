"""Each planted fault breaks the rule that it is for, on DuckDB: the loop of those who write a rule.

`-m ""` takes all rules, and `-k RULE` one of them.
"""

import checked
import planted
import pytest

from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from tests.nights import only


@pytest.fixture(scope="module")
def conforming():
    return Simulator(3, 30).run()


@pytest.mark.parametrize("rule", only(list(planted.CHANGES), "FirstAttemptWins"))
def test_a_planted_fault_breaks_its_rule_and_a_right_run_does_not(rule, conforming):
    right = header("right"), conforming, checked.footer_of(header("right"), conforming)
    fault = planted.faults(conforming)[rule]
    sound, faulty = checked.judge([right, fault], checked.families_of(rule))
    assert not sound.broken and faulty.broken[rule]
