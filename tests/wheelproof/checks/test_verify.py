"""The verification from end to end on a small project: no damage to it may end green."""

import pytest

from wheelproof.checks import verify
from wheelproof.counterexample import replay
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.events import Ended, Planned, Started, VerifyOptions
from wheelproof.verdict import Row, Verdict, exit_code


def run(
    small,
    *layers: str,
    mechanisms: tuple[str, ...] = (),
    profile: str = "fast",
    jobs: int = 1,
    listen=lambda notice: None,
) -> list[Row]:
    return verify.run(
        VerifyOptions(
            mechanisms,
            frozenset(layers) or None,
            profile,
            small.root,
            small.root / "build",
            jobs,
            listen,
        )
    )


UNGUARDED = "+self.monitor = NoMonitor()"
"""What mutant M2 does to the implementation."""

UNCHANGED = "+self.monitor = Monitor()"


def row(rows: list[Row], layer: str, name: str) -> Row:
    return next(row for row in rows if (row.layer, row.name) == (layer, name))


def test_a_sound_subject_is_green_in_every_layer_but_for_what_it_does_not_exercise(small):
    notices = []
    rows = run(small, listen=notices.append)
    assert {(row.layer, row.name) for row in rows if row.ok} == {
        ("tlc", "translation"),
        ("tlc", "two_adders"),
        ("graph", "two_adders"),
        ("graph", "properties"),
        ("graph", "sensitivity"),
        ("bisimulation", "two_adders"),
        ("coverage", "lock_order"),
        ("mutant", "M2"),
        ("liveness", "flush_into_itself"),
        ("random", "two_adders"),
        ("random", "M2"),
        ("stress", "two_adders"),
    }
    # two adders and a flush cancel nothing: the checks over all scenarios must say that these are
    # not enough
    labels = row(rows, "coverage", "labels")
    assert labels.verdict is Verdict.VACUOUS
    (ran,) = labels.figures["scenarios"].items()
    assert ran[0] == "two_adders" and len(ran[1].split(", ")) == labels.figures["exercised"]
    assert row(rows, "graph", "witnesses").verdict is Verdict.VACUOUS
    assert (
        exit_code(rows) == 1
    )  # exceptions of the harness are stale: no scenario of these needs them
    figures = row(rows, "mutant", "M2").figures
    assert figures["depth_spec"] == figures["depth_model"] == figures["depth_impl"] > 0
    figures = row(rows, "bisimulation", "two_adders").figures
    assert figures["compared_edges"] == figures["model_edges"] > 0
    announced = sum(notice.checks for notice in notices if isinstance(notice, Planned))
    assert announced == len(rows) == sum(isinstance(notice, Ended) for notice in notices)
    assert any(isinstance(notice, Started) for notice in notices)


def test_workers_give_the_rows_that_one_process_gives(small):
    one, two = run(small, "bisimulation", "random"), run(small, "bisimulation", "random", jobs=2)
    assert [(row.title(), row.verdict, row.ok) for row in one] == [
        (row.title(), row.verdict, row.ok) for row in two
    ]


def test_counts_that_drift_are_a_finding(small):
    small.change(small.counts, '"distinct": 411', '"distinct": 412')
    rows = run(small, "tlc")
    assert (
        not row(rows, "tlc", "two_adders").ok
        and "declared 412" in row(rows, "tlc", "two_adders").why
    )
    assert exit_code(rows) == 1


def test_counts_that_are_not_recorded_are_a_finding(small):
    small.counts.unlink()
    assert "not recorded" in row(run(small, "tlc"), "tlc", "two_adders").why


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_stale_translation_ends_the_mechanism_as_refused(small, jobs):
    small.change(small.spec, "U6:  next[ue] := NULL;", "U6:  next[ue] := ue;")
    rows = run(small, "tlc", "bisimulation", jobs=jobs)
    assert [(row.name, row.verdict) for row in rows] == [("translation", Verdict.REFUSED)]
    assert exit_code(rows) == 2 and "wheelproof translate" in rows[0].why


@pytest.mark.parametrize("layer", ["graph", "liveness", "mutant"])
def test_a_stale_translation_ends_every_layer_that_has_runs_of_tlc(small, layer):
    small.change(small.spec, "U6:  next[ue] := NULL;", "U6:  next[ue] := ue;")
    notices = []
    rows = run(small, layer, listen=notices.append)
    assert [(row.name, row.verdict) for row in rows] == [("translation", Verdict.REFUSED)]
    assert [notice.row for notice in notices if isinstance(notice, Ended)] == rows


def test_a_model_that_is_another_machine_is_noticed_by_the_graph(small):
    small.change(
        "model/timer_task_list.py",
        "            t.tail = self.prev[t.al]\n",
        "            t.tail = t.al\n",
    )
    small.change(
        "model/timer_task_list.py",
        "        self.next[t.ae] = t.al\n",
        "        self.next[t.ae] = t.ae\n",
    )
    rows = run(small, "tlc", "graph")
    assert row(rows, "tlc", "two_adders").ok
    found = row(rows, "graph", "two_adders")
    assert found.verdict is Verdict.VIOLATED and found.property == "SameGraph" and not found.ok
    assert "TLC's graph alone" in found.why and "the model's graph alone" in found.why


def test_an_implementation_that_is_another_machine_is_noticed_by_the_bisimulation_and_replayed(
    small, capsys
):
    small.change(
        "impl/timer_task_list.py",
        "tail.next = entry  # write A7",
        "tail.next = self.root  # write A7",
    )
    found = row(run(small, "bisimulation"), "bisimulation", "two_adders")
    assert (
        found.verdict is Verdict.VIOLATED
        and found.property == "Bisimulation"
        and "next" in found.why
    )
    trace = small.root / "build" / found.trace
    assert replay.run(trace, "impl", root=small.root) == 1
    assert "leaves the model" in capsys.readouterr().out
    with pytest.raises(UsageError, match="--on impl"):
        replay.run(trace, "model", root=small.root)


def test_a_label_that_only_the_implementation_lacks_is_an_error_not_a_pass(small):
    small.change("impl/timer_task_list.py", "entry.list = None  # write U8", "entry.list = None")
    rows = run(small, "bisimulation")
    assert not any(row.ok for row in rows) and exit_code(rows) != 0


def test_a_mutant_that_changes_nothing_survives(small):
    small.change(small.decision, UNGUARDED, UNCHANGED)
    found = row(run(small, "mutant"), "mutant", "M2")
    assert not found.ok and "does not reject" in found.why and "differ" in found.why


def test_a_mutant_is_not_killed_by_another_property(small):
    small.change(
        small.decision,
        'property = "AtMostOneList"\ndata_race',
        'property = "CancelWins"\ndata_race',
    )
    found = row(run(small, "mutant"), "mutant", "M2")
    assert found.verdict is Verdict.EXHAUSTIVE and not found.ok
    assert exit_code([found]) == 1


def test_a_race_that_is_expected_and_absent_is_a_finding(small):
    small.change(small.decision, UNGUARDED, UNCHANGED)
    found = row(run(small, "random"), "random", "M2")
    assert found.verdict is Verdict.SAMPLED and not found.ok


def test_an_evaluation_error_is_never_a_kill(small):
    small.change(
        "spec/TimerTaskListProperties.tla",
        "CancelWins == slipped = {}",
        "CancelWins == slipped.nothing = {}",
    )
    small.change(
        small.decision,
        'property = "AtMostOneList"\ndata_race',
        'property = "CancelWins"\ndata_race',
    )
    found = row(run(small, "mutant"), "mutant", "M2")
    assert found.verdict is Verdict.REFUSED and not found.ok and exit_code([found]) == 2


def test_an_unknown_name_is_a_usage_error_and_nothing_to_do_is_reported(small):
    with pytest.raises(UsageError, match="no mechanism unknown"):
        run(small, mechanisms=("unknown",))
    with pytest.raises(UsageError, match="no layer nowhere"):
        run(small, "nowhere")
    with pytest.raises(NothingChecked):
        run(small, "proof")


def test_a_wrong_declaration_of_locks_ends_a_run_before_its_checks(small):
    file = small.root / "harness" / "locks.toml"
    file.write_text('[edges."A.lock -> B.lock"]\n"impl/a.py f" = ["timer_task_list"]\n')
    with pytest.raises(UsageError, match=r"locks\.toml: .* A\.lock, B\.lock is not in \[classes\]"):
        run(small, "bisimulation", listen=lambda notice: pytest.fail(str(notice)))
