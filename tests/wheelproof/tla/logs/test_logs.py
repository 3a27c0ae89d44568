"""A log of any program is explained by a specification or refused, and TLC says the same."""

import json
import random

import pytest

from tests.docs.reading import ROOT
from tests.examples.pages import wheelproof
from wheelproof.commands import specification
from wheelproof.errors import Inconclusive, ToolError, UsageError
from wheelproof.tla.logs import confirmed, mapping, refusals, search
from wheelproof.tla.plain.comparison import Subject

QUEUE = ROOT / "examples/job_queue"
SUBJECT = Subject(QUEUE / "JobQueue.tla", QUEUE / "JobQueue.cfg")


@pytest.fixture(scope="module")
def machine():
    return SUBJECT.machine()


@pytest.fixture
def log(machine, tmp_path):
    """A function: records of a log, and lines of a mapping before that of the example -> both."""

    def written(records, head=""):
        file, rules = tmp_path / "log.ndjson", tmp_path / "mapping.toml"
        file.write_text("\n".join(map(json.dumps, records)))
        rules.write_text(head + (QUEUE / "mapping.toml").read_text())
        read = mapping.rules(rules, machine)
        return search.Search(machine, read.hidden), mapping.read(file, read)

    return written


def run(length, seed):
    """The records of a correct program."""
    draw, queue, holds = random.Random(seed), [], {"ada": 0, "bob": 0}
    records = []
    while len(records) < length:
        worker = draw.choice(sorted(holds))
        kind = draw.choice(["put", "take", "finish"])
        if kind == "put" and len(queue) < 2:
            queue.append(draw.randint(1, 3))
            records.append({"event": kind, "job": queue[-1], "queue": list(queue)})
        elif kind == "take" and queue and not holds[worker]:
            holds[worker] = queue.pop(0)
            records.append({"event": kind, "worker": worker, "holds": holds[worker]})
        elif kind == "finish" and holds[worker]:
            holds[worker] = 0
            records.append({"event": kind, "worker": worker})
    return records


@pytest.mark.daily(2)
@pytest.mark.parametrize("name, code", [("run", 0), ("damaged", 1)])
def test_the_page_shows_what_the_command_prints(name, code):
    arguments = ("--log", f"{name}.ndjson", "--mapping", "mapping.toml")
    ended, text = wheelproof(QUEUE, "tla", "JobQueue.tla", *arguments)
    assert ended == code, text
    page = (ROOT / "docs/tla.md").read_text(encoding="utf-8")
    assert f"```\n{text}\n```" in page


def test_a_run_is_explained_and_each_of_twenty_damages_is_refused(log):
    records = run(60, 1)
    looker, events = log(records)
    assert not looker.run(events).pending
    for seed in range(20):
        draw = random.Random(seed)
        damaged = [dict(record) for record in records]
        place = draw.choice([n for n, record in enumerate(records) if record["event"] == "take"])
        damaged[place]["holds"] = records[place]["holds"] % 3 + 1
        _, events = log(damaged)
        verdict = looker.run(events)
        assert verdict.explained == place
        explanation = refusals.explain(looker, events, verdict)
        assert explanation.event.line == place + 1 and explanation.nearest.startswith("Take(")
        assert explanation.further == len(records) - place
        assert len(explanation.shrunk) <= 6, explanation.lines()


def test_a_shrunk_log_is_refused_and_needs_each_of_its_events(log):
    looker, events = log([*run(30, 2), {"event": "take", "worker": "ada", "holds": 9}])
    verdict = looker.run(events)
    few = refusals.shrink(looker, events, verdict)
    kept = {event.line for event in few}
    weak = [event if event.line in kept else event.open() for event in events]
    assert looker.run(weak).pending
    assert events[-1].line in kept


OVERLAPPING = [
    {"event": "take", "worker": "ada", "holds": 1, "from": 2, "to": 9},
    {"event": "put", "job": 1, "from": 3, "to": 4},
    {"event": "take", "worker": "bob", "holds": 2, "from": 10, "to": 20},
    {"event": "put", "job": 2, "from": 11, "to": 12},
]


def test_events_that_overlap_may_have_happened_in_either_order(log):
    head = 'begin = "from"\nend = "to"\n'
    looker, events = log(OVERLAPPING, head)
    assert not looker.run(events).pending
    late = [*OVERLAPPING[:3], OVERLAPPING[3] | {"from": 21, "to": 22}]
    looker, events = log(late, head)
    assert looker.run(events).explained == 2
    _, exact = log(OVERLAPPING)
    assert looker.run(exact).explained == 0


def test_a_hidden_action_may_happen_anywhere(log):
    records = [record for record in run(40, 3) if record["event"] != "finish"]
    looker, events = log(records)
    assert looker.run(events).pending
    looker, events = log(records, 'hidden = ["Finish"]\n')
    assert not looker.run(events).pending


def test_too_many_places_are_inconclusive(log, monkeypatch):
    monkeypatch.setattr(search, "PLACES", 3)
    looker, events = log(run(20, 1))
    with pytest.raises(Inconclusive, match="more than 3 places"):
        looker.run(events)


def test_tlc_has_the_same_verdicts(log, machine):
    looker, events = log(run(25, 4))
    assert confirmed.explained(SUBJECT, machine, events, looker.hidden, 100)
    _, damaged = log([*run(25, 4), {"event": "put", "job": 1, "queue": [9]}])
    assert not confirmed.explained(SUBJECT, machine, damaged, looker.hidden, 100)


def test_a_search_that_overlooks_a_difference_is_noticed_by_tlc(monkeypatch):
    monkeypatch.setattr(search.Search, "differences", lambda self, *step: {})
    with pytest.raises(ToolError, match="TLC finds no behaviour that explains"):
        specification._explain(SUBJECT, QUEUE / "damaged.ndjson", QUEUE / "mapping.toml", 100)


@pytest.mark.parametrize(
    "events, head, reason",
    [
        (OVERLAPPING, 'begin = "from"\nend = "to"\n', "events overlap"),
        ([{"event": "put"}], "", "an argument of Put is open"),
    ],
)
def test_a_log_that_tlc_cannot_check_has_the_reason(events, head, reason, log, machine):
    looker, read = log(events, head)
    with pytest.raises(confirmed.Unconfirmed, match=reason):
        confirmed.explained(SUBJECT, machine, read, looker.hidden, 100)


WRONG = {
    "has no event in the field 'event'": ("", {"job": 1}),
    "the event 'push' is in no line of": ("", {"event": "push"}),
    "it ends before it begins": ('begin = "a"\nend = "b"\n', {"event": "put", "a": 2, "b": 1}),
    "no value of ITF": ("", {"event": "put", "job": 0.5}),
    "has no action Tick": ('hidden = ["Tick"]\n', {"event": "put"}),
    "the field colour is not known": ('colour = "red"\n', {"event": "put"}),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_log_or_mapping_is_refused(fault, log):
    head, record = WRONG[fault]
    with pytest.raises(UsageError, match=fault) as caught:
        log([record], head)
    assert caught.value.remedy
