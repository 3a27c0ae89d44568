"""The project's package has what judges ask for. Mypy compares types, in ``traces/provided.py``."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from traces import provided as own
from wheelproof.trace import provided

PARTS = {
    provided.Bulk: own.BULK,
    provided.Words: own.WORDS,
}


def names(wanted: type) -> set[str]:
    return {name for name in vars(wanted) if name[0] != "_"}


def lacks(part: object, wanted: type) -> set[str]:
    """What judges ask for, and is not there."""
    return {name for name in names(wanted) if not hasattr(part, name)}


@pytest.mark.parametrize("wanted", PARTS, ids=lambda wanted: wanted.__name__)
def test_a_part_has_what_judges_ask_for(wanted):
    assert lacks(PARTS[wanted], wanted) == set()


@pytest.mark.parametrize("wanted", PARTS, ids=lambda wanted: wanted.__name__)
def test_a_part_without_one_name_is_refused(wanted):
    for name in names(wanted):
        part = SimpleNamespace(**dict.fromkeys(names(wanted) - {name}))
        assert lacks(part, wanted) == {name}
    assert names(wanted)
