"""One run in several layouts: one file or many, its events in order or not."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

from checked import footer_of

from benchmarks import mutations
from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from wheelproof.pipeline import runs
from wheelproof.trace.format import parquet
from wheelproof.trace.format.tally import line_of

FAULTS = (
    ("wheel_place", "retarget"),
    ("list_add", "retarget"),
    ("list_add", "duplicate"),
    ("expire_submit", "duplicate"),
    ("on_complete_begin", "duplicate"),
    ("list_remove", "drop"),
    ("set_entry", "retarget"),
    ("dq_offer", "duplicate"),
    ("try_end", "retarget"),
    ("clock_advance", "retime"),
    ("cancel_check", "retarget"),
    ("try_begin", "duplicate"),
    ("try_watch_end", "duplicate"),
)
"""Changes of one log, so many that every family finds something."""


def copies(events: list[dict]) -> list[dict]:
    """For events of a few kinds another one that bears the same thread, numbers and clock and says
    something else: nothing but what they say tells which is first."""
    changes = {
        "list_add": {"list": 3},
        "list_remove": {"cause": "cancel"},
        "cancel_check": {"res": "true"},
        "set_entry": {"entry": 1001},
        "force_cas": {"res": "false"},
        "rw_acquire": {"ord": ()},
        "bucket_expiry_set": {"key_ms": 64},
    }
    made = []
    for kind, change in changes.items():
        made += [
            {**event, **change}
            for event in [event for event in events if event["k"] == kind][10:40:10]
        ]
    return [{name: value for name, value in event.items() if value != ()} for event in made]


def in_parts(folder: Path, run: str, footer: dict, parts: dict[str, list[dict]]) -> None:
    """A run as a folder: by the name of each file its events."""
    folder.mkdir()
    (folder / runs.HEADER_FILE).write_text(json.dumps(header(run)))
    (folder / runs.FOOTER_FILE).write_text(json.dumps(footer))
    for name, events in parts.items():
        if name.endswith(".parquet"):
            parquet.write(folder / name, header(run), events, None)
        else:
            with (gzip.open if name.endswith(".gz") else open)(folder / name, "wb") as file:
                file.write(b"".join(line_of(event) for event in events))


def lay_out(root: Path, name: str, events: list[dict], footer: dict) -> list[str]:
    """The run in three layouts; the names of those."""
    shuffled = random.Random(name).sample(events, len(events))
    layouts = {
        "in_order": {"a.parquet": events},
        "backwards": {"a.jsonl": events[::-1]},
        "shuffled": {
            "9.parquet": shuffled[::4],
            "5.jsonl.gz": shuffled[1::4],
            "0.parquet": [event for part in (3, 2) for event in shuffled[part::4]],
        },
    }
    for layout, parts in layouts.items():
        in_parts(root / f"{name}-{layout}", f"{name}-{layout}", footer, parts)
    return [f"{name}-{layout}" for layout in layouts]


def faulty(conforming: list[dict]) -> list[dict]:
    """The log with all of FAULTS."""
    for kind, operator in FAULTS:
        conforming = mutations.mutate(conforming, kind, operator, "log", 2)
    return conforming


def write(root: Path) -> dict[str, list[str]]:
    """A run with faults in every family, and one with copies; the names of the layouts of each."""
    footer = whole(Simulator(3, 25).run())
    return {name: lay_out(root, name, events(name), footer) for name in ("broken", "copies")}


def events(name: str) -> list[dict]:
    """The events of one of the two."""
    conforming = Simulator(3, 25).run()
    return faulty(conforming) if name == "broken" else conforming + copies(conforming)


def whole(events: list[dict]) -> dict:
    """The footer of a run in parts, of which no hash is known."""
    footer = footer_of(header("x"), events)
    return {name: value for name, value in footer.items() if name != "sha256"}
