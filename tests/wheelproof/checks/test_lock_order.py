"""The row on the order of locks: the documented graph, its exceptions, and what rejects it."""

from dataclasses import replace

import pytest

from tests.model.timer import MECHANISM
from wheelproof import project
from wheelproof.checks import lock_order as checked
from wheelproof.checks.context import Context, Report
from wheelproof.checks.lock_order import lock_order, note
from wheelproof.project.lock_order import cycle
from wheelproof.python import ControlledImplementation
from wheelproof.python.runtime.lock_order import Edge, Place
from wheelproof.python.search.search import Search
from wheelproof.verdict import exit_code

NAME = MECHANISM.name
IMPL = "impl/box.py"
DECLARED = f"""
[classes]
"A.lock" = "the first"
"B.lock" = "the second"

[edges."A.lock(read) -> B.lock"]
"{IMPL} A.enter A2" = ["{NAME}"]

[edges."B.lock -> B.lock"]
"{IMPL} B.pair B2" = ["{NAME}"]

[exceptions.pairs]
edges = ["B.lock -> B.lock"]
reason = "the smaller one first"
scenarios = ["{NAME}/two_expire"]
"""
ALONE = DECLARED.partition('[edges."B')[0]
FIRST = Edge("A.lock(read)", "B.lock", Place(IMPL, 7, "A.enter", "A2"))
PAIR = Edge("B.lock", "B.lock", Place(IMPL, 20, "B.pair", "B2"))
BACK = Edge("B.lock", "A.lock(write)", Place(IMPL, 31, "B.back", "B7"))
SINCE = Place(IMPL, 6, "A.enter", "A1")
USUAL = {FIRST: "two_adders", PAIR: "two_expire"}


def judged(tmp_path, taken, declared=DECLARED, profile="fast", mechanism=MECHANISM):
    (tmp_path / "harness").mkdir(exist_ok=True)
    if declared:
        (tmp_path / "harness" / "locks.toml").write_text(declared, encoding="utf-8")
    classes = {name for edge in taken for name in edge[:2]}
    reports = [
        Report(lock_classes=classes, lock_edges={edge: {config: SINCE}})
        for edge, config in taken.items()
    ]
    return lock_order(Context(replace(mechanism, root=tmp_path), tmp_path, profile), reports)


def test_the_documented_graph_is_in_order(tmp_path):
    row = judged(tmp_path, USUAL)
    assert row.ok and row.verdict == "exhaustive", row.why
    assert row.figures == {
        "classes": 2,
        "edges": 2,
        "excepted": 1,
        "A.lock(read) -> B.lock": f"{IMPL}:7 A2",
        "B.lock -> B.lock": f"{IMPL}:20 B2",
    }


def test_an_undeclared_edge_is_rejected(tmp_path):
    other = FIRST._replace(target="C.lock")
    row = judged(tmp_path, USUAL | {other: "two_adders"})
    assert (row.verdict, row.property, row.ok) == ("violated", "LockOrder", False)
    assert (
        f"an undeclared edge: A.lock(read) -> C.lock at {IMPL}:7 A2, "
        f"held since {IMPL}:6 A1 (in two_adders)" in row.why
    )
    assert f'"{IMPL} A.enter A2" = ["{NAME}"] to [edges."A.lock(read) -> C.lock"]' in row.why
    assert exit_code([row]) == 1


def test_another_place_of_a_declared_edge_is_rejected(tmp_path):
    row = judged(tmp_path, {**USUAL, FIRST._replace(place=BACK.place): "two_adders"})
    assert row.property == "LockOrder" and f"at {IMPL}:31 B7" in row.why


def test_a_declared_edge_that_no_run_takes_is_vacuous(tmp_path):
    row = judged(tmp_path, {PAIR: "two_expire"})
    assert (row.verdict, row.ok) == ("vacuous", False)
    assert f'no run of {NAME} takes A.lock(read) -> B.lock at "{IMPL} A.enter A2"' in row.why


def test_a_scenario_of_an_exception_that_takes_no_edge_of_it_is_vacuous(tmp_path):
    row = judged(tmp_path, {FIRST: "two_adders", PAIR: "two_adders"})
    assert row.verdict == "vacuous"
    assert f"{NAME}/two_expire takes no edge of the exception pairs" in row.why


def test_an_inversion_is_rejected_with_both_edges_and_their_lines(tmp_path):
    row = judged(tmp_path, {**USUAL, BACK: "two_adders"})
    assert row.property == "LockOrder"
    where = f"held since {IMPL}:6 A1 (in two_adders)"
    assert (
        f"a cycle: A.lock(read) -> B.lock at {IMPL}:7 A2, {where}; "
        f"B.lock -> A.lock(write) at {IMPL}:31 B7, {where}" in row.why
    )


def test_a_declared_cycle_without_an_exception_is_rejected(tmp_path):
    declared = DECLARED + f'[edges."B.lock -> A.lock(write)"]\n"{IMPL} B.back B7" = ["{NAME}"]\n'
    row = judged(tmp_path, {**USUAL, BACK: "two_adders"}, declared)
    assert row.property == "LockOrder" and row.why.count("a cycle: ") == 1
    assert "undeclared" not in row.why
    excepted = declared + (
        '[exceptions.back]\nedges = ["B.lock -> A.lock(write)"]\nreason = "never at once"\n'
    )
    assert judged(tmp_path, {**USUAL, BACK: "two_adders"}, excepted).ok


def test_a_cycle_through_a_stand_in_is_rejected(tmp_path):
    other = Edge("B.lock", "box.gate", BACK.place)
    declared = DECLARED.replace("[edges", '"box.gate" = "in scenarios, the first"\n\n[edges', 1) + (
        f'[edges."B.lock -> box.gate"]\n"{BACK.place.name}" = ["{NAME}"]\n'
    )
    taken = {**USUAL, other: "two_adders"}
    assert judged(tmp_path, taken, declared).ok
    row = judged(tmp_path, taken, declared + '[stand_ins]\n"box.gate" = ["A.lock"]\n')
    assert row.property == "LockOrder"
    assert "a cycle: A.lock(read) -> B.lock" in row.why and "B.lock -> box.gate at" in row.why


def test_two_of_one_class_need_an_exception(tmp_path):
    row = judged(tmp_path, USUAL, DECLARED.partition("[exceptions")[0])
    assert row.property == "LockOrder" and "a cycle: B.lock -> B.lock" in row.why


def test_an_exception_that_closes_no_cycle_is_rejected(tmp_path):
    declared = DECLARED + (
        '[exceptions.idle]\nedges = ["A.lock(read) -> B.lock"]\nreason = "to be safe"\n'
    )
    row = judged(tmp_path, USUAL, declared)
    assert row.property == "LockOrder" and "the exception idle" in row.why


def test_a_class_without_a_text_is_rejected(tmp_path):
    (tmp_path / "harness").mkdir()
    (tmp_path / "harness" / "locks.toml").write_text(DECLARED, encoding="utf-8")
    reports = [
        Report(lock_classes={"D.lock(write)"}, lock_edges={edge: {config: SINCE}})
        for edge, config in USUAL.items()
    ]
    row = lock_order(Context(replace(MECHANISM, root=tmp_path), tmp_path), reports)
    assert row.property == "LockOrder" and "does not name D.lock(write)" in row.why


def test_what_only_the_nightly_profile_takes_is_not_missed_by_the_fast_one(tmp_path):
    declared = DECLARED.replace(f'A2" = ["{NAME}"]', f'A2" = ["{NAME} (nightly)"]')
    assert judged(tmp_path, {PAIR: "two_expire"}, declared).ok
    assert judged(tmp_path, USUAL, declared).ok
    assert judged(tmp_path, {PAIR: "two_expire"}, declared, "nightly").verdict == "vacuous"


@pytest.mark.parametrize("declared", [DECLARED, ""], ids=["declared", "not declared"])
def test_a_search_for_cycles_that_finds_none_is_noticed_in_the_same_run(
    tmp_path, monkeypatch, declared
):
    assert judged(tmp_path, {FIRST: "two_adders"}, declared and ALONE).ok
    monkeypatch.setattr(checked, "cycle", lambda *edges: [])
    row = judged(tmp_path, {FIRST: "two_adders"}, declared and ALONE)
    assert row.verdict == "vacuous"
    assert "a planted change is not rejected: B.lock -> A.lock(read)" in row.why


@pytest.mark.parametrize(
    ("name", "planted"),
    [("differing", "A.lock(read) -> planted"), ("idle", "A.lock(read) -> B.lock, not taken")],
)
def test_a_comparison_that_finds_nothing_is_noticed_in_the_same_run(
    tmp_path, monkeypatch, name, planted
):
    monkeypatch.setattr(checked, name, lambda *arguments: [])
    row = judged(tmp_path, {FIRST: "two_adders"}, ALONE)
    assert row.verdict == "vacuous" and planted in row.why


def test_a_mechanism_without_locks_is_in_order(tmp_path):
    declared = DECLARED.replace(NAME, "another")
    for declaration in declared, "":
        row = judged(tmp_path, {}, declaration)
        assert row.ok and row.figures["classes"] == row.figures["edges"] == 0, row.why


def test_without_a_declaration_a_cycle_is_rejected(tmp_path):
    assert judged(tmp_path, {FIRST: "two_adders"}, "").ok
    row = judged(tmp_path, {FIRST: "two_adders", BACK: "two_expire"}, "")
    assert (row.property, row.ok) == ("LockOrder", False)
    assert f"{IMPL}:7 A2" in row.why and f"{IMPL}:31 B7" in row.why


def test_without_a_declaration_an_expected_deadlock_may_take_the_other_order(tmp_path):
    assert judged(tmp_path, {FIRST: "two_adders", BACK: "opposite_flushes"}, "").ok


def test_without_a_declaration_two_of_one_class_are_a_note(tmp_path):
    row = judged(tmp_path, {PAIR: "two_adders"}, "")
    assert row.ok and "two locks of one class are held at once: B.lock -> B.lock" in row.why


@pytest.mark.parametrize(
    ("edges", "found"),
    [
        ([], []),
        (["a -> b", "b -> c", "a -> c"], []),
        (["a -> a", "a -> b", "b -> a"], ["a -> a"]),
        (["a -> b", "b -> c", "c -> b"], ["b -> c", "c -> b"]),
        (["a(read) -> b", "b -> a(write)"], ["a(read) -> b", "b -> a(write)"]),
        (["a -> b", "b -> c", "c -> d", "d -> a", "c -> a"], ["a -> b", "b -> c", "c -> a"]),
    ],
)
def test_the_shortest_cycle_is_found(edges, found):
    assert cycle(edges) == found


INVERTED = (
    """        with self.monitor:  # lock U1, unlock U11
            with entry.monitor:  # lock U2, unlock U10
""",
    """        with entry.monitor:  # lock U1, unlock U11
            with self.monitor:  # lock U2, unlock U10
""",
)
CALLED_BACK = (
    "                callback(head)\n",
    "                with head.monitor:  # lock F5, unlock F6\n"
    "                    callback(head)\n",
)
AGAIN = (
    "            self.timer_task_entry = None  # write C3\n",
    "            self.timer_task_entry = None  # write C3\n"
    "            if entry is not None:\n"
    "                with entry.monitor:  # lock C5, unlock C8\n"
    "                    with self.monitor:  # lock C6, unlock C7\n"
    "                        pass\n"
    "        if entry is not None:\n"
    "            with entry.monitor:  # lock C9, unlock C12\n"
    "                with self.monitor:  # lock C10, unlock C11\n"
    "                    pass\n",
)


HALF = (
    "with self.lock.read_lock:  # lock A1, unlock A4\n",
    "with task.monitor, self.lock.read_lock:  # lock A1, unlock A4\n",
)


def planted(context, change, scenario, name=NAME):
    """The row of a copy of the implementation with a change, on the project's declaration."""
    mechanism = project.find(MECHANISM.root)[name]
    text = (mechanism.root / "impl" / f"{name}.py").read_text(encoding="utf-8")
    assert text.count(change[0]) == 1
    texts = {f"impl.{name}": text.replace(*change)}
    subject = ControlledImplementation.load(mechanism.root, name, texts=texts, lint=False)
    Search(subject, mechanism.scenarios[scenario], 60).run()
    report = Report()
    note(report, subject.order, scenario)
    return lock_order(replace(context, mechanism=mechanism), [report]), texts[f"impl.{name}"]


@pytest.mark.parametrize(
    ("change", "scenario", "edges"),
    [
        (
            INVERTED,
            "cancel_cancel",
            {"TimerTaskEntry.monitor -> TimerTaskList.monitor": ("U2", "U1")},
        ),
        (
            CALLED_BACK,
            "flush_cancel",
            {"TimerTaskEntry.monitor -> TimerTaskList.monitor": ("A1", "F5")},
        ),
        (AGAIN, "cancel_cancel", {"TimerTaskEntry.monitor -> TimerTask.monitor": ("C10", "C9")}),
    ],
    ids=["inverted", "through a callback", "through a monitor that is taken again"],
)
def test_a_planted_inversion_of_the_implementation_is_rejected(context, change, scenario, edges):
    row, text = planted(context, change, scenario)
    assert (row.verdict, row.property) == ("violated", "LockOrder")
    assert "a cycle: " in row.why

    def line(label):
        return 1 + next(i for i, each in enumerate(text.splitlines()) if f"lock {label}," in each)

    for name, (at, since) in edges.items():
        assert (
            f"{name} at impl/{NAME}.py:{line(at)} {at}, held since "
            f"impl/{NAME}.py:{line(since)} {since} (in {scenario})" in row.why
        )


def test_a_planted_inversion_through_half_a_lock_is_rejected(context):
    row, _ = planted(context, HALF, "one_adder", "system_timer")
    assert (row.verdict, row.property) == ("violated", "LockOrder")
    edge = "TimerTask.monitor -> SystemTimer.lock(read)"
    assert f"an undeclared edge: {edge} at impl/system_timer.py" in row.why
    cycle_of = row.why.partition("a cycle: ")[2]
    assert edge in cycle_of and "SystemTimer.lock(read) -> TimerTask.monitor at " in cycle_of
