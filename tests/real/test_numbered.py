"""When the agent numbers an event: before another thread can see what it does, wherever such a
thread may go on without a lock. docs/record-kafka.md has each kind with its reason."""

import re
import shutil
from pathlib import Path

import pytest

from real.record import agent as recording
from real.record import followed
from tests.real.recorded_kafka import LOAD
from tests.real.test_record import ALL, BEFORE, built, load
from traces.initial import AGENT
from wheelproof.pipeline import law, shrinking
from wheelproof.trace.format.jsonl import Reader, write
from wheelproof.trace.format.renumbering import renumbered
from wheelproof.trace.judging.verdict import CONFORMS, OUT_OF_MODEL, VIOLATES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "record-kafka.md").read_text(encoding="utf-8")


# -- the page and the agent


def rows():
    """Kind of event -> when the page says that it is numbered."""
    table = PAGE.partition("| kinds | numbered | why that is sound |")[2].partition("\n\n")[0]
    cells = [line.split("|") for line in table.splitlines() if line.startswith("| `")]
    return {kind: row[2].strip() for row in cells for kind in re.findall(r"`(\w+)`", row[1])}, sum(
        len(re.findall(r"`(\w+)`", row[1])) for row in cells
    )


def test_the_page_says_of_each_kind_when_it_is_numbered():
    found, count = rows()
    assert found.keys() == ALL and count == len(found)
    assert {kind for kind, when in found.items() if when.startswith("before")} == BEFORE


def test_the_hooks_of_those_kinds_stand_before_the_effect():
    """Where a hook stands is in Sites.java; one that replaces the effect numbers it first."""
    sites = (recording.AGENT / "Sites.java").read_text(encoding="utf-8")
    hooks = "".join(
        (recording.AGENT / f"{name}.java").read_text(encoding="utf-8")
        for name in ("TimerHooks", "OperationHooks")
    )
    placed = {
        hook: how
        for how, hook in re.findall(
            r'\b(before|after|instead)\((?:"[^"]*"|[^"])*?"(\w+)"\s*,\s*"[^"]*"\)', sites
        )
    }
    for hook in ("completes", "publishes", "offers", "watches", "operationMade", "entryMade"):
        assert placed[hook] == "before", hook
    for hook, numbered, effect in (
        ("unlinked", "event(Kind.LIST_REMOVE).numbers();", "wp$list(null);\n            log.cause"),
        ("unwatch", ".set(Column.KEY, info.key).end();", "operations.remove();"),
    ):
        assert placed[hook] == "instead"
        body = hooks.partition(f" {hook}(")[2]
        assert -1 < body.find(numbered) < body.find(effect), hook


# -- an unlink that is numbered too late


def late_unlink(before=("list_remove",), late=True):
    """A recording of ``load`` in which a task is cancelled while a flush has its entry in hand.

    ``late``: the unlink has its number after the cancel, whose thread has seen it.
    """
    reader = Reader(LOAD)
    header, events = dict(reader.header), [event for _, event in reader]
    header["capture"] = {**header["capture"], **({"before": list(before)} if before else {})}
    run = next(
        event
        for event in events
        if event["k"] == "expire_submit"
        and event["timer"] == 1
        and not any(
            each["k"] in ("cancel", "set_entry") and each["pre"].get("entry") == event["entry"]
            for each in events
        )
    )
    entry, task = run["entry"], run["task"]
    at = max(
        number
        for number, each in enumerate(events)
        if each["k"] == "list_remove" and each["entry"] == entry
    )
    out = []
    for number, event in enumerate(events):
        mine = event.get("entry") == entry and number > at
        if mine and event["k"] in ("expire_submit", "task_run", "task_done"):
            continue
        if mine and event["k"] == "cancel_check":
            event = {**event, "res": "true", "pre": {"entry": 0}}
        elif mine and event["k"] == "wheel_reject":
            event = {**event, "cause": "cancel"}
        out.append(event)
    word = f"task:{task}.timerTaskEntry"
    cancel = {
        "tid": 99,
        "k": "cancel",
        "phase": "atomic",
        "timer": 1,
        "task": task,
        "ord": (("L", f"task:{task}", 1, "w"), ("V", word, 1, "w")),
        "pre": {"entry": entry},
        "post": {"entry": 0},
    }
    start = {"tid": 99, "k": "thread_start", "phase": "atomic"}
    out[at:at] = [start]
    out.insert(at + (1 if late else 2), cancel)
    header["threads"] = {**header["threads"], "99": "canceller"}
    return header, renumbered(out)


def judged(tmp_path, header, events):
    """The verdicts of the table and of the model."""
    file = tmp_path / "late.jsonl"
    write(file, header, events)
    return law.of_file(file), followed.follow(file).verdict


def test_a_cancel_after_the_unlink_conforms(tmp_path):
    rules, model = judged(tmp_path, *late_unlink(late=False))
    assert (rules.verdict, model.verdict) == (CONFORMS,) * 2, (rules.first, model.first)


def test_a_cancel_before_the_unlink_is_refused_of_an_agent_that_numbers_it_before(tmp_path):
    rules, model = judged(tmp_path, *late_unlink())
    assert "CancelUnlinks" == rules.first.property and rules.verdict == model.verdict == VIOLATES


def test_of_an_agent_that_numbered_it_after_the_rule_says_nothing_and_the_model_what_is_wrong(
    tmp_path,
):
    rules, model = judged(tmp_path, *late_unlink(before=()))
    assert (rules.verdict, model.verdict) == (CONFORMS, OUT_OF_MODEL), rules.first
    assert "names list_remove in capture.before" in model.first.message


def other_recorder(header, events):
    header["producer"] = {**header["producer"], "name": "another"}
    return "CancelUnlinks"


def read_and_stated(header, events):
    (cancel,) = (event for event in events if event["k"] == "cancel" and event["tid"] == 99)
    cancel["pre"] = {**cancel["pre"], "list": 7}
    return "CancelUnlinks"


def linked_twice(header, events):
    at = next(number for number, event in enumerate(events) if event["k"] == "list_add")
    events.insert(at + 1, events[at])
    return "AtMostOneList"


@pytest.mark.daily(2)
@pytest.mark.parametrize("change", [other_recorder, read_and_stated, linked_twice])
def test_nothing_else_is_passed_over_of_an_old_agent(change, tmp_path):
    header, events = late_unlink(before=())
    assert header["producer"]["name"] == AGENT
    expected = change(header, events)
    write(tmp_path / "changed.jsonl", header, renumbered(events))
    verdict = law.of_file(tmp_path / "changed.jsonl")
    assert expected in {finding.property for finding in verdict.findings}


@pytest.mark.nightly
def test_a_shrunk_recording_keeps_which_kinds_are_numbered_before(tmp_path):
    header, events = late_unlink()
    write(tmp_path / "whole.jsonl", header, events)
    small = shrinking.shrunk(tmp_path / "whole.jsonl")
    assert small.header["capture"]["before"] == ["list_remove"]
    assert law.verdict_on(small.header, small.events, small.footer).verdict == VIOLATES


@pytest.mark.parametrize(
    "before, message",
    [
        ("list_remove", "before must be an array of kinds of event"),
        (["list_removed"], "'list_removed' is no kind of event, and before names it"),
        ([1], "before must be an array of kinds of event"),
    ],
)
def test_a_header_that_names_no_kinds_there_is_refused(before, message):
    from wheelproof.trace.format.header import wrong

    capture = {"mode": "full", "before": before}
    assert wrong({"schema_minor": 3, "capture": capture}) is not None
    assert message in wrong({"schema_minor": 3, "capture": capture})[1]


# -- with Java: each step is stretched, so that others come in between

STRETCH = (
    "Log.java",
    "into[at++] = number > 0 ? number : Recorder.ORDER.incrementAndGet();",
    "stretch();\n        long now = number > 0 ? number : Recorder.ORDER.incrementAndGet();\n"
    "        stretch();\n        into[at++] = now;",
)
STRETCHES = (
    "Log.java",
    "    private int mode(int each) {",
    "    private static void stretch() {\n"
    "        if (java.util.concurrent.ThreadLocalRandom.current().nextInt(30) == 0) {\n"
    "            java.util.concurrent.locks.LockSupport.parkNanos(500_000);\n        }\n    }\n\n"
    "    private int mode(int each) {",
)
AFTER_ITS_NUMBER = (
    "Log.java",
    "                number = Recorder.ORDER.incrementAndGet();\n",
    "                number = Recorder.ORDER.incrementAndGet();\n                stretch();\n",
)
UNLINKED_FIRST = (
    "TimerHooks.java",
    "            log.event(Kind.LIST_REMOVE).numbers();\n            word.wp$list(null);\n",
    "            word.wp$list(null);\n            log.event(Kind.LIST_REMOVE);\n",
)
NOT_HELD_BACK = (
    "RunHooks.java",
    "            while (!recorded) {",
    "            while (!recorded && thread == null) {",
)
READ_UNGUARDED = (
    "TimerHooks.java",
    "        synchronized (info) {\n            Object live = word.wp$live();\n",
    "        Object live = word.wp$live();\n"
    "        java.util.concurrent.locks.LockSupport.parkNanos(500_000);\n"
    "        synchronized (info) {\n",
)
COMPLETED_FIRST = (
    "Sites.java",
    'before("forceComplete", "putfield " + PURGATORY + OPERATION + "completed", 1,',
    'after("forceComplete", "putfield " + PURGATORY + OPERATION + "completed", 1,',
)


def changed(folder, monkeypatch, *changes):
    """The agent with these texts changed in its sources."""
    built(folder)
    copy = folder / "agent"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(recording.AGENT, copy)
    for name, old, new in changes:
        text = (copy / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, (name, old)
        (copy / name).write_text(text.replace(old, new), encoding="utf-8")
    monkeypatch.setattr(recording, "AGENT", copy)
    return recording.build(folder)


@pytest.mark.nightly
def test_a_run_whose_steps_are_stretched_conforms(tmp_path, monkeypatch):
    agent = changed(tmp_path, monkeypatch, STRETCHES, STRETCH, AFTER_ITS_NUMBER)
    for number in range(3):
        file = load(agent, tmp_path / f"{number}.jsonl", "verify", ms=1000, rate=2000)
        verdict = law.of_file(file)
        assert verdict.verdict == CONFORMS, verdict.first
        found = followed.follow(file, prefix=3_000)
        assert found.conforms, found.refused or found.verdict.first


@pytest.mark.nightly
@pytest.mark.parametrize(
    "change, properties",
    [
        (UNLINKED_FIRST, {"CancelUnlinks"}),
        (NOT_HELD_BACK, {"RunsOncePerAdd"}),
        (READ_UNGUARDED, {"CancelWins"}),
        (COMPLETED_FIRST, {"FirstAttemptWins", "CompletedOnce", "CompletesOnce"}),
    ],
    ids=["unlinked_first", "not_held_back", "read_unguarded", "completed_first"],
)
def test_an_agent_that_numbers_a_step_after_its_effect_is_refused(
    tmp_path, monkeypatch, change, properties
):
    """Some run shows it, since each step is stretched."""
    agent = changed(tmp_path, monkeypatch, STRETCHES, STRETCH, change)
    seen = set()
    for number in range(40):
        file = load(agent, tmp_path / f"{number}.jsonl", ms=1000, rate=2000)
        seen |= {finding.property for finding in law.of_file(file).findings}
        if seen & properties:
            return
    raise AssertionError(f"40 runs show {seen or 'nothing'}, and none of {properties}")
