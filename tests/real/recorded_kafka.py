"""For the tests that follow recordings of Kafka: the recordings, and judging a changed one."""

import copy
from functools import cache
from pathlib import Path

from real.record import followed
from tests.wheelproof.trace.test_replay import renumbered
from traces import runs
from wheelproof.trace.format.jsonl import Reader
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging.replay import replay_events
from wheelproof.trace.model.inferred import InferredReplay

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "recordings"
OTHERS = Path(__file__).parents[1] / "wheelproof" / "trace" / "kafka"
SOUND, D1, LOAD = (FOLDER / f"{name}.jsonl.gz" for name in ("sound", "d1", "load"))


@cache
def kafka(file):
    """A recording followed in Kafka's order."""
    return followed.follow(file)


@cache
def corrected(file):
    """A recording followed in the corrected order."""
    return followed.follow(file, followed.CORRECTED)


def judged(header, events, without="", numbered=True):
    """The verdict of the model without a decision, on a recording as by an agent of today.
    ``numbered``: the events get numbers of their own first, which hide what was changed."""
    header = {**header, "capture": {**header["capture"], "before": ["list_remove"]}}
    known = followed.mechanisms()
    known = {**known, followed.MECHANISM: known[followed.MECHANISM].without(without)}
    events, tally = renumbered(events) if numbered else events, Tally(header)
    for event in events:
        tally.count(event)

    def judge(header, cut=None):
        return InferredReplay(known, header, cut=cut, infer=runs.infer)

    return replay_events(header, events, tally.footer(), judge)


@cache
def _read(file):
    reader = Reader(file)
    return reader.header, [event for _, event in reader]


def events_of(file, timer):
    """The header, and the events of one timer."""
    header, events = _read(file)
    return header, copy.deepcopy([event for event in events if event.get("timer") == timer])


def place(events, kind, **columns):
    """Where the first event of a kind is that has these columns."""
    return next(
        number
        for number, event in enumerate(events)
        if event["k"] == kind and columns.items() <= event.items()
    )
