"""The hunk of a specification that follows from those of the code, beside those written by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.nights import by_night, only
from wheelproof import project
from wheelproof.decisions import derived, hunks
from wheelproof.decisions.hunks import Hunk
from wheelproof.decisions.read import Decision
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import explore

ROOT = Path(__file__).resolve().parents[3]

SAME = {
    "event_queue/PreemptKeepsWaiting",
    "parted_timer/WaitsInGap",
    "share_fetch/LooksOutside",
    "timing_wheel/ResetLate",
    "door/ForgetsToNotify",
    "door/LooksOnce",
    "one_shot/FlagFirst",
    "peterson/KeepsTheTurn",
    "peterson/LeavesTheFlagUp",
    "peterson/RaisesNoFlag",
    "peterson/TurnFirst",
}
"""Decisions whose hunk by hand is the one that follows, word by word."""

IN_OTHER_WORDS = {
    "coordinator_load/DeafWhileLoading",
    "coordinator_load/ListensLate",
    "one_shot/Unlocked",
    "read_write_lock/EntersOutside",
    "read_write_lock/InterruptedWriterIsSilent",
    "read_write_lock/LeavesInSilence",
}
"""Decisions for which the one that follows has the same steps in other words."""

NO_PLUSCAL = {"coordinator_load/ForgetsHeard", "timer_task_list/M5"}
"""Decisions for which the one that follows lacks a label that PlusCal wants."""

PROJECTS = (ROOT, *(ROOT / "examples" / name for name in ("door", "one_shot", "peterson")))
MECHANISMS = {
    mechanism.name: mechanism for root in PROJECTS for mechanism in project.find(root).values()
}


def by_hand(mechanism, decision):
    """(the specification as written by hand, as it follows); None where none follows."""
    spec, code = f"spec/{mechanism.module}.tla", f"impl/{mechanism.name}.py"
    own = [hunk for hunk in decision.hunks if hunk.file == spec]
    if not own or not decision.mutants or code not in decision.files:
        return None
    rest = tuple(hunk for hunk in decision.hunks if hunk.file != spec)
    whole = derived.complete(replace(decision, hunks=rest), mechanism.root, spec, code)
    if whole.fault:
        return None
    text = (mechanism.root / spec).read_text(encoding="utf-8")
    follows = [hunk for hunk in whole.hunks if hunk.file == spec]
    return hunks.apply(text, own), hunks.apply(text, follows), whole


def words(text):
    """The algorithm's lines without their margins."""
    return [
        " ".join(line.split()) for line in text.split("\\* BEGIN")[0].split("\n") if line.strip()
    ]


def test_hunk_that_follows_is_the_one_by_hand_where_there_is_one():
    same, other = set(), set()
    for mechanism in MECHANISMS.values():
        for decision in mechanism.decisions.values():
            if pair := by_hand(mechanism, decision):
                place = same if words(pair[0]) == words(pair[1]) else other
                place.add(f"{mechanism.name}/{decision.name}")
    assert same == SAME
    assert other == IN_OTHER_WORDS | NO_PLUSCAL


@pytest.mark.parametrize(
    "place", ["one_shot/Unlocked", *(by_night((name,)) for name in sorted(IN_OTHER_WORDS)[1:])]
)
def test_hunk_in_other_words_makes_the_same_graph(place):
    name, decision_name = place.split("/")
    mechanism = MECHANISMS[name]
    decision = mechanism.decisions[decision_name]
    _, _, whole = by_hand(mechanism, decision)
    scenario = next(iter(decision.mutants.values()))["scenario"]
    graphs = []
    for variant in (decision, whole):
        changed = replace(mechanism, decisions={decision_name: variant}).without(decision_name)
        graphs.append(explore(changed.compiled_model(changed.scenarios[scenario])))
    assert graphs[0].digest() == graphs[1].digest()
    assert (
        graphs[0].digest()
        != explore(mechanism.compiled_model(mechanism.scenarios[scenario])).digest()
    )


@pytest.mark.parametrize("place", only(sorted(NO_PLUSCAL), "timer_task_list/M5"))
def test_hunk_that_is_no_pluscal_is_refused_by_name(place):
    name, decision_name = place.split("/")
    mechanism = MECHANISMS[name]
    _, _, whole = by_hand(mechanism, mechanism.decisions[decision_name])
    changed = replace(mechanism, decisions={decision_name: whole}).without(decision_name)
    with pytest.raises(UsageError, match=f"without {decision_name}: Missing label"):
        changed.specs  # noqa: B018


# -- what is refused

CODE = """class Given:
    def go(self):
        with self.lock:  # lock A1, unlock A5
            while not self.ready:  # read A2
                self.lock.wait()  # wait A6, wake A7, lock A8
            self.count = 1  # write A3
            self.lock.notify_all()  # notify A4

    def stop(self):
        found = self.count  # read B1
        found = found + 1
        self.count = found  # write B2
"""
SPEC = """---- MODULE Given ----
(*--algorithm Given
begin
A1: await owner = NULL;
    owner := self;
A2: while ~ready do
A6:   owner := NULL;
A7:   await Offered(tickets, self);
A8:   await owner = NULL;
      owner := self;
    end while;
A3: count := 1;
A4: tickets := NotifiedAll(tickets, asleep);
A5: owner := NULL;
B1: before := count;
    before := before + 1;
B2: count := before;
end algorithm; *)
====
"""


def completed(folder, old, new, anchor):
    for place, text in (("spec/Given.tla", SPEC), ("impl/given.py", CODE)):
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    file = folder / "Taken.md"
    body = tuple(
        (mark, line) for mark, text in (("-", old), ("+", new)) for line in text.split("\n") if text
    )
    hunk = Hunk("impl/given.py", anchor, file, 5, body)
    decision = Decision("Taken", file, "it is taken", "", (hunk,), {"Taken": {}})
    whole = derived.complete(decision, folder, "spec/Given.tla", "impl/given.py")
    whole.texts(folder)
    return hunks.apply(SPEC, [hunk for hunk in whole.hunks if hunk.file == "spec/Given.tla"])


@pytest.mark.parametrize(
    "old, new, anchor, there, gone",
    [
        ("while not self.ready:  # read A2", "if not self.ready:  # read A2", "A2",
         "A2: if ~ready then", "end while"),
        ("self.lock.notify_all()  # notify A4", "self.lock.notify()  # notify A4", "A4",
         "A4: tickets := Notified(tickets, asleep, 1);", "NotifiedAll"),
        ("self.lock.notify_all()  # notify A4", "", "A4", "A3: count := 1;\nA5: owner", "A4:"),
        ("    self.count = 1  # write A3\n    self.lock.notify_all()  # notify A4",
         "    self.lock.notify_all()  # notify A4\nself.count = 1  # write A3", "A3",
         "A5: owner := NULL;\nA3: count := 1;", "A3: count := 1;\nA4"),
    ],
)  # fmt: skip
def test_change_of_the_code_is_that_of_the_specification(tmp_path, old, new, anchor, there, gone):
    text = completed(tmp_path, old, new, anchor)
    assert there in text and gone not in text, text


@pytest.mark.parametrize(
    "old, new, anchor, reason",
    [
        ("self.count = 1  # write A3", "self.count = 2  # write A3", "A3", "A3 becomes"),
        ("found = found + 1", "found = found + 2", "B1", "no step of it changes"),
        ("found = self.count  # read B1\nfound = found + 1", "found = 0", "B1",
         "B1 is left out, and the lines behind it change, too"),
        ("self.count = 1  # write A3", "self.count = 1  # write A9", "A3", "it has the step A9"),
        ("while not self.ready:  # read A2\n    self.lock.wait()  # wait A6, wake A7, lock A8", "",
         "A2", "A2 is no plain step"),
    ],
)  # fmt: skip
def test_change_that_no_step_follows_from_is_refused_with_a_remedy(
    tmp_path, old, new, anchor, reason
):
    with pytest.raises(UsageError, match="no hunk of spec/Given.tla follows") as refusal:
        completed(tmp_path, old, new, anchor)
    assert reason in str(refusal.value) and "@@ spec LABEL" in str(refusal.value)
