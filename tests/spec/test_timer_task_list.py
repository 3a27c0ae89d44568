"""TimerTaskList's specification: constants, assumptions, and its own decisions."""

import re

import pytest

from tests.model.timer import MECHANISM
from tests.nights import only
from tests.spec.texts import refused_assumption
from wheelproof.checks.context import Context
from wheelproof.project.mechanism import Config
from wheelproof.tlc.result import Outcome

SPEC = MECHANISM.spec.read_text(encoding="utf-8")


# -- names


def test_the_constants_are_those_of_the_toml():
    constants = set(
        re.findall(r"^  (\w+),? +\\\* ", SPEC[: SPEC.index("Entries ==")], re.MULTILINE)
    )
    assert constants == set(MECHANISM.constants)


# -- assumptions

BAD = {
    "NamesAreDistinct": {
        "Lists": frozenset({"l1", "l2", "t1"}),
        "Ring": {"l1": [], "l2": [], "t1": []},
    },
    "NullIsNobody": {"NULL": "a"},
    "RingIsOfEntries": {"Ring": {"l1": ["e9"], "l2": []}},
    "EachEntryIsLinkedOnce": {"Ring": {"l1": ["e1"], "l2": ["e1"]}},
    "OneCurrentEntryPerTask": {
        "TaskOf": {"e1": "t1", "e2": "t1"},
        "Current": frozenset({"e1", "e2"}),
    },
    "ProgramsAreOperations": {"Program": {"a": [["ad", "l1", "e1"]], "b": [["add", "l2", "e1"]]}},
}


@pytest.mark.parametrize("name", only(BAD, "ProgramsAreOperations"))
def test_an_assumption_refuses_what_it_is_there_for(name, tmp_path):
    """TLC stops at the assumption of this name before it looks at any state."""
    config = Config("bad", "two_adders", constants=BAD[name])
    result = Context(MECHANISM, tmp_path).tlc("bad", config, deadlock=True)
    module = tmp_path / "mc" / MECHANISM.module / "bad" / f"MC{MECHANISM.module}_bad.tla"
    assert result.outcome is Outcome.ERROR and result.exit_code == 10
    log = module.with_suffix(".log").read_text(encoding="utf-8")
    assert refused_assumption(log, SPEC) == name
    assert "states generated" not in log


def test_every_assumption_has_its_bad_constants():
    assert set(re.findall(r"^ASSUME (\w+) ==", SPEC, re.MULTILINE)) == set(BAD)
