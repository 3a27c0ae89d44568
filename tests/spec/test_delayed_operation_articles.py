"""The articles' two stories as TLC finds them: drawn in order, and replayed on both artefacts."""

import json
import re

import pytest

from tests.model.delayed_operation import MECHANISM, ROOT
from wheelproof.checks import safety
from wheelproof.checks.context import Context
from wheelproof.counterexample import columns, document, replay
from wheelproof.counterexample.build import Diverged, build
from wheelproof.counterexample.numbering import count
from wheelproof.counterexample.replay import NotReproduced

FREE, HELD = '[depth |-> 0, owner |-> "null"]', '[depth |-> 1, owner |-> "{}"]'


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    return Context(MECHANISM, tmp_path_factory.mktemp("articles"), layers=frozenset({"tlc"}))


@pytest.fixture(scope="module")
def lost(context):
    """The file of TryOnce's lost completion, as `wheelproof verify --layer tlc` writes it."""
    return made(context, "article_lost_completion")


@pytest.fixture(scope="module")
def losers(context):
    """The file of the thread that does not get the lock and does not try again."""
    return made(context, "article_one_loser_retries")


def made(context, name):
    (row,) = safety.check(context, MECHANISM.configs[name]).rows
    assert row.ok and row.layer == "tlc" and row.property == MECHANISM.configs[name].property, (
        row.why
    )
    return context.output / row.trace


def visible(trace):
    """The steps that code has: (thread, label, what changes)."""
    return [
        (step.thread, step.label, dict(step.changes))
        for step in trace.steps
        if step.label not in MECHANISM.silent
    ]


def drawn(trace, width):
    """The steps as the picture shows them, in its order: (thread, label, the line that ran)."""
    lines = [line.plain for line in columns.render(trace, width, ROOT)]
    if width < 100:
        found = [
            re.match(r" +\d+  \[(\w+)\] (\w+) \w+(?: +(\S+:\d+)(.*))?$", line) for line in lines
        ]
        # a line that does not fit goes on in the next one
        return [
            (match[1], match[2], (match[4] or "").strip() or after.strip())
            for match, after in zip(found, [*lines[1:], ""])
            if match
        ]
    head = next(line for line in lines if line.endswith("source and changes"))
    column = {
        head.index(f" {thread} ") + 1: thread for thread in trace.threads if f" {thread} " in head
    }
    out = []
    for line in lines:
        if match := re.match(
            r" +\d+  [│ ]*(?P<label>[A-Z]\d+) \w+[│ ]*(?:\S+:\d+  (?P<text>.*))?$", line
        ):
            out.append((column[match.start("label")], match["label"], match["text"]))
    return out


def assert_drawn_in_order(trace, width):
    rows = [row for row in drawn(trace, width) if row[1] not in MECHANISM.silent]
    assert [row[:2] for row in rows] == [step[:2] for step in visible(trace)]
    for thread, label, text in rows:
        assert text, f"{thread}.{label} shows no line of the source"
    return rows


# -- a completion is lost


def four_rows(steps):
    """Whether these steps are the article's rows.

    One thread locks and reads the old condition. The other makes it true and fails to lock. Both
    return.
    """
    holder = next(thread for thread, label, changes in steps if label == "O1" and changes)
    (other,) = {thread for thread, *_ in steps} - {holder}
    ready = next(
        iter(next(changes for thread, label, changes in steps if (thread, label) == (other, "E1")))
    )
    return [
        (thread, label, changes)
        for thread, label, changes in steps
        if (thread, label) != (holder, "E1")
    ] == [
        (holder, "O1", {"lock[o]": (FREE, HELD.format(holder))}),
        (holder, "Y1", {}),
        (other, "E1", {ready: ("FALSE", "TRUE")}),
        (other, "O1", {}),
        (holder, "O2", {"lock[o]": (HELD.format(holder), FREE)}),
    ]


def test_a_completion_is_lost_in_four_rows(lost):
    trace = document.read(lost)
    steps = visible(trace)
    assert four_rows(steps)
    # who tests the condition that comes first cannot be the one who brought it
    assert steps[0][:2] == ("b", "E1") and steps[-2][:2] == ("a", "O1")
    model = MECHANISM.model(trace.scenario)
    state = model.initial()
    for step in trace.steps:
        (state,) = [
            after
            for thread, label, after in model.successors(state)
            if (model.threads[thread], label) == (step.thread, step.label)
        ]
    assert model.final(state) and not model.holds("NoLostCompletion", state), "both have returned"


def test_rows_in_another_order_are_another_story(lost):
    steps = visible(document.read(lost))
    assert not four_rows([*steps[:-2], steps[-1], steps[-2]])
    assert not four_rows([step for step in steps if step[1] != "Y1"])


@pytest.mark.parametrize("width", [80, 140])
def test_the_picture_of_the_lost_completion_has_the_rows_in_order(lost, width):
    rows = assert_drawn_in_order(document.read(lost), width)
    shown = {(thread, label): text for thread, label, text in rows}
    assert shown["b", "O1"] == shown["a", "O1"] == "if not self.lock.acquire(blocking=False):"
    assert (
        shown["b", "O2"] == "self.lock.release()"
        and "conditions[index].get()" in shown["b", "Y1"]
        and "set(True)" in shown["a", "E1"]
    )
    text = "\n".join(line.plain for line in columns.render(document.read(lost), width, ROOT))
    assert "NoLostCompletion is violated" in text and "ready[c1]: FALSE → TRUE" in text


# -- one loser tries again

ARTICLE = [
    ("c", "T0"),
    ("c", "P1"),
    ("a", "T0"),
    ("a", "P1"),
    ("a", "P5"),
    ("b", "T0"),
    ("b", "E1"),
    ("b", "P1"),
    ("b", "P5"),
    ("a", "P6"),
    ("a", "P1"),
]
"""c is in tryComplete, and a and b fail to lock.

a is the first to leave a note and tries again. b has given up meanwhile.
"""


def test_who_finds_a_note_does_not_try_again(losers):
    """One thread holds the lock, the first to leave a note tries again, the second gave up."""
    trace = document.read(losers)
    steps = visible(trace)
    noted = [(thread, changes) for thread, label, changes in steps if label == "P5"]
    (first, note), (last, gives_up) = noted
    assert first != last
    assert note == {"pending[o]": ("FALSE", "TRUE")} and gives_up == {
        f"gaveUp[{last}]": ("FALSE", "TRUE")
    }
    assert steps[-1][:2] == (last, "P5")
    holder = next(thread for thread, label, changes in steps if label == "P1" and changes)
    assert holder not in (first, last)
    assert [label for thread, label, _ in steps if thread == holder][-1] == "P1", (
        "it is in the lock all the time"
    )


@pytest.fixture(scope="module")
def three(context):
    """The article's own schedule up to b's last step, written as a counterexample."""
    model = MECHANISM.model("three_losers")
    schedule = [(model.threads.index(thread), label) for thread, label in ARTICLE[:-2]]
    return context.output / context.keep(
        build(
            MECHANISM,
            model,
            schedule,
            layer="tlc",
            name="three",
            scenario="three_losers",
            property="EveryLoserRetries",
            explanation="a story",
            sources=context.sources(),
        )
    )


def test_three_threads_tell_the_article(three):
    trace = document.read(three)
    shown = {(thread, label): changes for thread, label, changes in visible(trace)}
    assert (
        shown["c", "P1"] == {"lock[o]": (FREE, HELD.format("c"))}
        and shown["a", "P1"] == shown["b", "P1"] == {}
    )
    assert shown["a", "P5"] == {"pending[o]": ("FALSE", "TRUE")} and shown["b", "P5"] == {
        "gaveUp[b]": ("FALSE", "TRUE")
    }
    rows = assert_drawn_in_order(trace, 140)
    assert rows[-1][2] == "retry = not self.try_complete_pending.get_and_set(True)"


def test_then_the_first_loser_tries_again_and_the_second_has_returned():
    model = MECHANISM.model("three_losers")
    state = model.initial()
    for thread, label in [*ARTICLE, ("b", "P6"), ("b", "T0")]:
        (state,) = [
            after
            for index, at, after in model.successors(state)
            if (model.threads[index], at) == (thread, label)
        ]
    model.load(state)
    assert [process.pc for process in model.processes] == ["P5", "Done", "P2"], (
        "a has tried again, b is through, c is still in it"
    )


# -- replay


@pytest.mark.parametrize("on", ["model", "impl"])
@pytest.mark.parametrize("name", ["lost", "losers", "three"])
def test_the_stories_replay(request, name, on, capsys):
    file = request.getfixturevalue(name)
    assert replay.run(file, on, root=ROOT) == 1
    shown = capsys.readouterr().out
    assert (
        f"{document.read(file).property} is violated after step {count(document.read(file).steps)}"
        in shown
    )


def damaged(file, tmp_path, change):
    document = json.loads(file.read_text())
    change(document)
    out = tmp_path / "damaged.json"
    out.write_text(json.dumps(document))
    return out


@pytest.mark.parametrize("on", ["model", "impl"])
def test_another_schedule_of_the_story_does_not_replay(lost, tmp_path, on):
    def later(document):
        """Who brings the condition comes after the unlock: then it gets the lock."""
        steps = document["steps"]
        tried = next(
            i for i, step in enumerate(steps) if step["label"] == "O1" and not step["changes"]
        )
        unlocked = next(i for i, step in enumerate(steps) if step["label"] == "O2")
        steps[tried], steps[unlocked] = steps[unlocked], steps[tried]

    with pytest.raises(Diverged):
        replay.run(damaged(lost, tmp_path, later), on, root=ROOT)
    with pytest.raises(NotReproduced, match="holds after the last step"):
        replay.run(damaged(lost, tmp_path, lambda document: document["steps"].pop()), on, root=ROOT)
    with pytest.raises(Diverged):
        replay.run(
            damaged(lost, tmp_path, lambda document: document.update(scenario="two_completers")),
            on,
            root=ROOT,
        )
