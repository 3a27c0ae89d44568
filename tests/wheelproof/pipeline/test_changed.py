"""The rules that refuse each changed trace are those that `changed.toml` names.

`python tests/wheelproof/pipeline/test_changed.py --write` makes the file anew.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT)]

import inputs as all_inputs  # noqa: E402

FILE = Path(__file__).parent / "changed.toml"


@pytest.fixture(scope="module")
def expected():
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def refused(broken: dict[str, set[str]]) -> dict[str, list[str]]:
    """Changed trace -> the rules that it breaks."""
    return {name: sorted(rules) for name, rules in broken.items()}


def test_each_change_is_refused_by_the_rules_that_are_named(inputs, expected):
    assert refused(inputs.broken) == {name: expected[name] for name in inputs.changed}


def test_a_rule_that_is_taken_away_is_noticed(inputs, expected):
    """The control: without one rule some change is refused by fewer."""
    for rule in set().union(*inputs.broken.values()):
        left = {name: rules - {rule} for name, rules in inputs.broken.items()}
        assert refused(left) != {name: expected[name] for name in inputs.changed}


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        found = refused(all_inputs.write(Path(folder), "all").broken)
    text = "".join(f"{json.dumps(name)} = {json.dumps(rules)}\n" for name, rules in found.items())
    if "--write" in sys.argv:
        FILE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
