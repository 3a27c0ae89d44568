"""Replay: a counterexample fails at the same step on model and implementation, or is stale."""

import json
from pathlib import Path

import pytest

from wheelproof.checks import liveness, mutant
from wheelproof.checks.context import Context
from wheelproof.counterexample import document, replay
from wheelproof.counterexample.build import Diverged
from wheelproof.counterexample.numbering import count
from wheelproof.counterexample.replay import NotReproduced
from wheelproof.errors import UsageError
from wheelproof.project import find

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    """The counterexamples of a mutant and of a lasso, and the folder of the subject."""
    mechanism = find(ROOT)["timer_task_list"]
    context = Context(mechanism, tmp_path_factory.mktemp("out"))
    killed = mutant.check(context, [mechanism.mutants["M2"]]).rows[0]
    endless = liveness.check(context, mechanism.configs["flush_into_itself"]).rows[0]
    assert killed.ok and endless.ok
    return ROOT, context.output / killed.trace, context.output / endless.trace


@pytest.mark.daily(2)
@pytest.mark.parametrize("on", ["model", "impl"])
def test_a_violation_is_reproduced_at_its_step(traces, on, capsys):
    root, killed, endless = traces
    steps = count(document.read(killed).steps)
    assert replay.run(killed, on, root=root) == 1
    assert f"AtMostOneList is violated after step {steps}" in capsys.readouterr().out
    assert replay.run(endless, on, root=root) == 1
    assert "Termination is violated" in capsys.readouterr().out


def test_until_stops_before_the_end_and_shows_the_state(traces, capsys):
    root, killed, _ = traces
    assert replay.run(killed, "impl", 5, root=root) == 0
    printed = capsys.readouterr().out
    assert "stopped after step 5 of" in printed and "taskCounter = 0" in printed
    steps = count(document.read(killed).steps)
    assert replay.run(killed, "impl", steps, root=root) == 1
    with pytest.raises(UsageError, match=f"no step {steps + 1}. Its last step is {steps}"):
        replay.run(killed, "impl", steps + 1, root=root)


def damaged(path, tmp_path, change):
    document = json.loads(path.read_text())
    change(document)
    out = tmp_path / "damaged.json"
    out.write_text(json.dumps(document))
    return out


@pytest.mark.parametrize("on", ["model", "impl"])
def test_a_file_that_does_not_fit_is_not_reproduced(traces, tmp_path, on):
    root, killed, endless = traces

    def other_change(document):
        document["steps"][-1]["changes"] = {"taskCounter": ["0", "7"]}

    with pytest.raises(NotReproduced, match="changes"):
        replay.run(damaged(killed, tmp_path, other_change), on, root=root)
    with pytest.raises(NotReproduced, match="holds after the last step"):
        replay.run(
            damaged(killed, tmp_path, lambda document: document["steps"].pop()), on, root=root
        )
    with pytest.raises(NotReproduced, match="holds after the last step"):
        replay.run(
            damaged(endless, tmp_path, lambda document: document.update(loop=document["loop"] + 1)),
            on,
            root=root,
        )
    with pytest.raises(Diverged):
        replay.run(
            damaged(killed, tmp_path, lambda document: document["steps"].pop(0)), on, root=root
        )


def test_the_unmutated_implementation_does_not_follow_a_mutant(traces, tmp_path):
    root, killed, _ = traces
    with pytest.raises(NotReproduced, match="implementation"):
        replay.run(
            damaged(killed, tmp_path, lambda document: document.update(impl_without="")),
            "impl",
            root=root,
        )


def test_what_the_subject_does_not_have_is_a_usage_error(traces, tmp_path):
    root, killed, _ = traces
    with pytest.raises(UsageError, match="no scenario elsewhere"):
        replay.run(
            damaged(killed, tmp_path, lambda document: document.update(scenario="elsewhere")),
            "model",
            root=root,
        )
    with pytest.raises(UsageError, match="no mechanism nothing"):
        replay.run(
            damaged(killed, tmp_path, lambda document: document.update(mechanism="nothing")),
            "model",
            root=root,
        )
    with pytest.raises(UsageError, match="only TLC runs"):
        replay.run(
            damaged(killed, tmp_path, lambda document: document.update(property="Refines")),
            "model",
            root=root,
        )
