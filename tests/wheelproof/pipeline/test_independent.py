"""The rules of the table beside the rules event by event, which are written apart from them.

Both judge each changed trace. `independent.toml` names the changes that only one of them refuses.
`python tests/wheelproof/pipeline/test_independent.py --write` makes it anew.
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

from benchmarks.simulated_log import header  # noqa: E402
from wheelproof.trace.judging import replay  # noqa: E402
from wheelproof.trace.judging.verdict import CONFORMS  # noqa: E402

FILE = Path(__file__).parent / "independent.toml"


def expected_of(inputs: all_inputs.Inputs) -> dict[str, dict[str, str]]:
    """What `independent.toml` says of these changes."""
    return {
        judge: {name: why for name, why in names.items() if name in inputs.changed}
        for judge, names in tomllib.loads(FILE.read_text()).items()
    }


def refused_event_by_event(inputs: all_inputs.Inputs) -> dict[str, str]:
    """Changed trace -> the property under which it is refused, of those that are."""
    out = {}
    for name, (events, footer) in inputs.changed.items():
        verdict = replay.replay_events(header(name), events, footer)
        if verdict.verdict != CONFORMS:
            out[name] = verdict.first.property
    return out


def compared(broken: dict[str, set[str]], refused: dict[str, str]) -> dict[str, dict[str, str]]:
    """Who alone refuses -> changed trace -> under which rule, or property."""
    return {
        "table": {
            name: min(rules) for name, rules in broken.items() if rules and name not in refused
        },
        "event by event": {name: why for name, why in refused.items() if not broken[name]},
    }


@pytest.fixture(scope="module")
def refused(inputs):
    return refused_event_by_event(inputs)


def test_two_judges_that_are_written_apart_refuse_the_same_changes_but_for_those_listed(
    inputs, refused
):
    expected = expected_of(inputs)
    assert not expected["event by event"], "the table is the law: it refuses whatever they do"
    assert compared(inputs.broken, refused) == expected
    alone = sum(map(len, expected.values()))
    assert 0 < alone < len(inputs.changed) / 5


def test_a_rule_that_is_taken_away_is_noticed(inputs, refused):
    """The control: without the rules that alone refuse some change."""
    expected = expected_of(inputs)
    name = next(iter(expected["table"]))
    assert compared(inputs.broken | {name: set()}, refused) != expected


def test_a_refusal_that_is_taken_away_is_noticed(inputs, refused):
    expected = expected_of(inputs)
    name = next(iter(refused))
    left = {each: why for each, why in refused.items() if each != name}
    assert compared(inputs.broken, left) != expected


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        inputs = all_inputs.write(Path(folder), "all")
    found = compared(inputs.broken, refused_event_by_event(inputs))
    lines = []
    for judge, names in found.items():
        lines += [f"[{json.dumps(judge)}]"]
        lines += [f"{json.dumps(name)} = {json.dumps(rule)}" for name, rule in names.items()]
    text = "\n".join(lines) + "\n"
    if "--write" in sys.argv:
        FILE.write_text(text)
    else:
        print(text, end="")
