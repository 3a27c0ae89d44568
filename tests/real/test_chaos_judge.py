"""A sound history of chaos breaks nothing, and a planted violation is refused by name."""

from __future__ import annotations

import pytest

from impl.controller import PARTITION
from real.chaos.judge import BOUND, Acknowledged, Judge, Violation
from tests.real import chaos_histories
from tests.real.chaos_histories import FAULTS, HAND, HOMES, ONE, TWO
from wheelproof.errors import ToolError


@pytest.fixture
def sound():
    return chaos_histories.sound()


def test_a_sound_history_breaks_nothing(sound):
    sound.session(ONE)
    for _ in range(3):
        sound.ticks(BOUND - 1)
        sound.write(TWO, f"{sound.versions[f'{PARTITION}-0']} 2 1")
    sound.delete()
    sound.ticks(BOUND - 1)
    sound.elect(ONE, 3)
    judge = sound.judged()
    assert judge.violations == []
    assert judge.counts["elections"] == 3 and judge.counts["calms"] == 1
    assert judge.counts["writes"] == 6 and judge.counts["changes of an ISR"] == 1
    assert judge.counts["deleted by hand"] == 1


@pytest.mark.parametrize(("fault", "names"), FAULTS)
def test_a_planted_violation_is_refused_by_name(fault, names, sound):
    assert sound.broken() == []
    fault(sound)
    assert sound.broken() == names


def test_a_bound_begins_anew_with_each_calm(sound):
    sound.session(ONE)
    sound.ticks(BOUND - 1)
    sound.ticks(1, "")
    sound.ticks(BOUND - 1)
    assert sound.broken() == []
    sound.ticks(1)
    assert sound.broken() == ["NoOrphan", "Elects"]


def test_what_is_acknowledged_must_be_there(sound):
    write = sound.made[-1]
    parts = tuple((part.path, part.data) for part in write.parts)
    good = Acknowledged(write.zxid, TWO, parts)
    assert sound.judged().acknowledged(sound.made, [good]).violations == []
    for bad in (
        good._replace(zxid=99),
        good._replace(session=ONE),
        good._replace(parts=(parts[0], (parts[1][0], "3 2 2"))),
    ):
        (found,) = sound.judged().acknowledged(sound.made, [good, bad]).violations
        assert found == Violation("Acknowledged", bad.zxid, "it was acknowledged, and is not there")


def test_a_history_with_a_gap_is_an_error(sound):
    without = [each for each in sound.made if each.zxid != 6]
    with pytest.raises(ToolError, match="does not follow from"):
        Judge("/x", {HAND}, HOMES).follow(without)
    with pytest.raises(ToolError, match="The transaction 0x1 comes after"):
        sound.judged().follow(sound.made)
