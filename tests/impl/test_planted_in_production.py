"""Faults in production modules that the controlled runtime replaces: a named check rejects each.

A check takes the modules of one copy of the implementation. It passes on the implementation as it
is, and fails on the copy with the fault by an assertion. Another exception is no rejection.
"""

from __future__ import annotations

import pytest

from tests.impl.production import baseline_faults, runtime_faults, timer_faults
from tests.impl.production.loading import Waits, changed, loaded
from tests.impl.real_threads import PATIENCE_S
from tests.nights import only

FAULTS = runtime_faults.FAULTS | timer_faults.FAULTS | baseline_faults.FAULTS
CHECKS = {planted.check.__name__: planted.check for planted in FAULTS.values()}

BY_DAY = (
    "the leader keeps the lead",
    "the last reader wakes no thread",
    "get_and_set takes no lock",
    "close waits for the executor under the write lock",
    "an entry is made before its deadline is checked",
    "an entry is published before its fields are set",
)
"""The faults of which each named danger has one."""

SHORT_S = 1.0
"""How long a check waits for an event that a planted fault prevents, in seconds.

The implementation as it is has to pass with the same time.
"""


@pytest.mark.parametrize("name", CHECKS)
def test_the_implementation_keeps_its_promise(name):
    CHECKS[name](loaded(), Waits(PATIENCE_S))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_text_is_a_module(fault):
    """Where a text has moved since, the night alone would report that its fault is none."""
    for module, text in changed(FAULTS[fault].changes).items():
        compile(text, module, "exec")


@pytest.mark.parametrize("fault", only(FAULTS, *BY_DAY))
def test_a_planted_fault_is_rejected(fault):
    planted = FAULTS[fault]
    planted.check(loaded(), Waits(SHORT_S))
    with pytest.raises(AssertionError) as rejected:
        planted.check(loaded(changed(planted.changes)), Waits(SHORT_S, SHORT_S))
    assert rejected.traceback[-1].path.parent.name == "production", "an assertion of another test"
