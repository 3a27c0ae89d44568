"""The logs of the comparison with TLC: sound ones are explained, damaged ones refused, by both."""

import pytest

from benchmarks import logs
from tests.docs.reading import ROOT
from wheelproof.tlc.result import Outcome


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_log_is_refused_and_the_sound_one_is_not(seed, tmp_path):
    sound = logs.records(40, seed)
    assert logs.searched(logs.written(sound, tmp_path)) == []
    assert logs.searched(logs.written(logs.damaged(sound, seed), tmp_path)) != []


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
def test_tlc_gives_the_same_verdict_on_the_trace_specification(seed, tmp_path):
    sound = logs.records(40, seed)
    assert logs.by_tlc(sound, tmp_path, True).outcome is Outcome.COMPLETED
    result = logs.by_tlc(logs.damaged(sound, seed), tmp_path, True)
    assert result.outcome is Outcome.VIOLATED and len(result.trace) > 1


def test_the_page_has_both_tables():
    page = (ROOT / "docs" / "tla.md").read_text(encoding="utf-8")
    assert "python -m benchmarks.logs" in page
    assert all(f"\n| {size:,} | " in page for size in logs.SIZES)
    assert f"\n| lines of {logs.DAMAGED} refusals |" in page
