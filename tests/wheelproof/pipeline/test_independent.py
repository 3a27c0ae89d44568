"""The rules of the table beside the rules event by event, which are written apart from them.

Both judge each changed trace. `independent.toml` names the changes that only one of them refuses.
`python tests/wheelproof/pipeline/test_independent.py --write` makes it anew.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT)]

import inputs as all_inputs  # noqa: E402

from benchmarks.simulated_log import header  # noqa: E402
from wheelproof.trace.judging import replay  # noqa: E402
from wheelproof.trace.judging.verdict import CONFORMS  # noqa: E402

FILE = Path(__file__).parent / "independent.toml"


def compared(inputs: all_inputs.Inputs) -> dict[str, dict[str, str]]:
    """Who alone refuses -> changed trace -> under which rule, or property."""
    out: dict[str, dict[str, str]] = {"table": {}, "event by event": {}}
    for name, (events, footer) in inputs.changed.items():
        verdict = replay.replay_events(header(name), events, footer)
        refused, broken = verdict.verdict != CONFORMS, inputs.broken[name]
        if broken and not refused:
            out["table"][name] = min(broken)
        if refused and not broken:
            out["event by event"][name] = verdict.first.property
    return out


def test_two_judges_that_are_written_apart_refuse_the_same_changes_but_for_those_listed(inputs):
    expected = tomllib.loads(FILE.read_text())
    assert compared(inputs) == expected
    alone = sum(map(len, expected.values()))
    assert 0 < alone < len(inputs.changed) / 5


def test_a_rule_that_is_taken_away_is_noticed(inputs):
    """The control: without the rules that alone refuse some change."""
    expected = tomllib.loads(FILE.read_text())
    name, rule = next(iter(expected["table"].items()))
    inputs.broken[name].discard(rule)
    left = set(inputs.broken[name])
    inputs.broken[name].clear()
    try:
        assert compared(inputs) != expected
    finally:
        inputs.broken[name].update(left | {rule})


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        found = compared(all_inputs.write(Path(folder)))
    lines = []
    for judge, names in found.items():
        lines += [f"[{json.dumps(judge)}]"]
        lines += [f"{json.dumps(name)} = {json.dumps(rule)}" for name, rule in names.items()]
    text = "\n".join(lines) + "\n"
    if "--write" in sys.argv:
        FILE.write_text(text)
    else:
        print(text, end="")
