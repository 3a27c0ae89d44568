"""The race of a composed run as a file: built, shown, run again, and refused where it is wrong."""

from dataclasses import replace

import pytest

from tests.model.system_timer import MECHANISM
from wheelproof.counterexample import columns, composed, document, export
from wheelproof.counterexample import replay as replaying
from wheelproof.errors import ToolError, UsageError

PEEKS = MECHANISM.composed["cancel_one_peeks"]


SCHEDULE = """
adder*1 clock*3 adder*6 canceller*1 adder*2 canceller*1 adder*7 canceller*1 adder*8
reaper*18
"""
"""The threads of the run that the search finds: each with its number of steps."""


def threads():
    """The schedule, thread by thread."""
    turns = (turn.split("*") for turn in SCHEDULE.split())
    return tuple(thread for thread, times in turns for _ in range(int(times)))


@pytest.fixture(scope="module")
def built():
    return composed.build(MECHANISM, PEEKS, threads())


def again(file, on="impl", until=None):
    return replaying.run(file, on, until, root=MECHANISM.root)


def test_the_file_ends_at_the_race_and_runs_again(built, tmp_path, capsys):
    assert built.explanation.startswith("race on TimerTaskEntry.next: read at ")
    assert built.impl_without == PEEKS.mutant
    assert tuple(step.thread for step in built.steps) == threads()
    marked = [step for step in built.steps if step.access]
    assert marked[-1] is built.steps[-1] and len(marked) == 2
    # A step of a lower mechanism: no run of the model has it.
    assert {step.label for step in built.steps} - MECHANISM.labels.keys()
    built.write(tmp_path / "t.json")
    assert document.read(tmp_path / "t.json") == built
    assert again(tmp_path / "t.json") == replaying.REPRODUCED
    assert built.explanation in capsys.readouterr().out
    assert again(tmp_path / "t.json", until=1) == 0
    assert f"stopped after step 1 of {len(built.steps)}" in capsys.readouterr().out
    shown = "\n".join(line.plain for line in columns.render(built, 200, MECHANISM.root, full=True))
    assert "second access" in shown and "NoDataRace is violated" in shown


def test_a_file_that_is_wrong_is_refused_by_name(built, tmp_path):
    file = tmp_path / "t.json"
    number = next(at for at, step in enumerate(built.steps) if step.changes)
    steps = list(built.steps)
    place, (before, _) = next(iter(steps[number].changes.items()))
    steps[number] = replace(steps[number], changes={place: (before, '"planted"')})
    replace(built, steps=tuple(steps)).write(file)
    with pytest.raises(ToolError, match=f"Step {number + 1}, .*in the file .*planted"):
        again(file)
    replace(built, steps=built.steps[:-1]).write(file)
    with pytest.raises(ToolError, match="No two accesses are unordered"):
        again(file)
    replace(built, name="gone").write(file)
    with pytest.raises(ToolError, match="no composed run gone"):
        again(file)
    built.write(file)
    with pytest.raises(UsageError, match="steps of lower mechanisms"):
        again(file, on="model")
    with pytest.raises(UsageError, match="steps of lower mechanisms"):
        export.pytest(built)


def test_a_schedule_without_a_race_has_no_file():
    assert composed.build(MECHANISM, PEEKS, threads()[:-1]) is None
