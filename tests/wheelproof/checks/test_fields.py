"""A field that changes and that no harness reads is rejected by name.

So is an AUXILIARY variable that is no history.
"""

from __future__ import annotations

import pytest

from tests.model import delayed_operation, system_timer, timer, timing_wheel
from tests.model.artefacts import ROOT
from wheelproof.checks import coverage
from wheelproof.checks.context import Context, Report
from wheelproof.graph import reduced
from wheelproof.python import ControlledImplementation, bisimulate

WRONG_PREV = ("entry.prev = None  # write U7", "entry.prev = entry  # write U7")
PREV = '        "prev": tuple(role[node.prev] for node in nodes),\n'


def row_of(monkeypatch, artefacts, scenario, auxiliary=(), harness=(), impl=None, unread=None):
    """The row of one scenario's bisimulation. ``harness``: (old, new) in the harness; ``impl``:
    (module, old, new); ``auxiliary``: variables that the model calls so besides."""
    texts = {}
    for name, old, new in [(f"harness.{artefacts.name}", *harness)] * bool(harness) + [impl] * bool(
        impl
    ):
        text = (ROOT / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8")
        assert text.count(old) == 1
        texts[name] = text.replace(old, new)
    model = type(artefacts.mechanism.model(scenario))
    monkeypatch.setattr(model, "AUXILIARY", model.AUXILIARY | set(auxiliary))
    monkeypatch.setattr(
        Context,
        "implementation",
        lambda self: ControlledImplementation.load(ROOT, artefacts.name, texts=texts),
    )
    if unread is not None:
        monkeypatch.setattr(ControlledImplementation, "unread", property(lambda self: unread))
    context = Context(artefacts.mechanism, ROOT / "build")
    graph = reduced.reduce(artefacts.mechanism.model(scenario), artefacts.mechanism.silent)
    bisimulation = bisimulate(
        context.implementation(),
        artefacts.mechanism.scenarios[scenario],
        reduced.rows(graph),
        reduced.shared_of(graph),
        fields=True,
    )
    assert bisimulation.outcome == "equal"
    places = {name: (scenario, place) for name, place in bisimulation.fields.unread.items()}
    return coverage.fields(
        context, [Report(changed=set(bisimulation.fields.changed), unread=places)]
    )


@pytest.mark.parametrize(
    ("artefacts", "scenario"),
    [
        (timer.ARTEFACTS, "expire_cancel"),
        (timing_wheel.ARTEFACTS, "two_keys"),
        (delayed_operation.ARTEFACTS, "two_completers"),
    ],
)
def test_the_mappings_read_what_changes(monkeypatch, artefacts, scenario):
    row = row_of(monkeypatch, artefacts, scenario)
    assert "does not read" not in row.why
    assert row.figures["changed"] == row.figures["read"] + row.figures["excepted"] > 3


@pytest.mark.parametrize("impl", [None, ("impl.timer_task_list", *WRONG_PREV)])
def test_a_prev_that_the_harness_leaves_out_is_named_right_or_wrong(monkeypatch, impl):
    """The bisimulation is equal either way: the next add writes prev before a step reads it."""
    row = row_of(
        monkeypatch, timer.ARTEFACTS, "expire_cancel", ["prev"], (PREV, ""), impl, unread={}
    )
    assert not row.ok and "does not read slots that change: TimerTaskEntry.prev (" in row.why


@pytest.mark.parametrize(
    ("artefacts", "scenario", "variable", "line", "name"),
    [
        (
            timer.ARTEFACTS,
            "expire_cancel",
            "list",
            '        "list": tuple(role[link.list] for link in links),\n',
            "TimerTaskEntry.list",
        ),
        (
            timer.ARTEFACTS,
            "expire_cancel",
            "taskMonitor",
            '        "taskMonitor": tuple(held(task.monitor) for task in tasks),\n',
            "TimerTask.monitor.owner",
        ),
        (
            timing_wheel.ARTEFACTS,
            "two_keys",
            "taskCounter",
            '        "taskCounter": (present(harness.task_counter),),\n',
            "counter.value",
        ),
        (
            delayed_operation.ARTEFACTS,
            "two_completers",
            "armed",
            '        "armed": tuple(operation.armed.get() for operation in operations),\n',
            "WorkedTryPending.armed.value",
        ),
    ],
)
def test_each_field_that_a_harness_leaves_out_is_named(
    monkeypatch, artefacts, scenario, variable, line, name
):
    row = row_of(monkeypatch, artefacts, scenario, [variable], (line, ""))
    assert not row.ok and f"{name} (" in row.why, row.why


def test_a_field_that_is_read_and_thrown_away_counts_as_unread(monkeypatch):
    change = (PREV, "        **dict.fromkeys([role[node.prev] for node in nodes][:0]),\n")
    row = row_of(monkeypatch, timer.ARTEFACTS, "two_adders", ["prev"], change, unread={})
    assert not row.ok and "TimerTaskEntry.prev (" in row.why


@pytest.mark.parametrize(
    ("unread", "named"),
    [
        ({"executor.value": ""}, "executor.value"),
        ({"executor.value": "  "}, "executor.value"),
        (
            {"executor.value": "a reason", "TimerTaskEntry.list": "it is read"},
            "TimerTaskEntry.list",
        ),
        (
            {"executor.value": "a reason", "TimerTaskEntry.colour": "no slot"},
            "TimerTaskEntry.colour",
        ),
    ],
)
def test_an_exception_needs_a_reason_and_a_use(monkeypatch, unread, named):
    row = row_of(monkeypatch, timer.ARTEFACTS, "expire_cancel", unread=unread)
    assert not row.ok
    assert row.why.endswith(
        f"UNREAD has entries that are read, that do not change or that have no reason: {named}"
    )


def test_an_exception_with_a_reason_and_a_use_is_kept(monkeypatch):
    row = row_of(monkeypatch, timer.ARTEFACTS, "expire_cancel")
    assert row.ok and row.figures["excepted"] == 1


def test_a_bisimulation_in_which_nothing_changes_is_vacuous():
    assert coverage.fields(Context(timer.MECHANISM, ROOT / "build"), []).verdict == "vacuous"


@pytest.mark.parametrize(
    ("artefacts", "scenario", "auxiliary", "local"),
    [
        (delayed_operation.ARTEFACTS, "raising", (), frozenset()),
        (timer.ARTEFACTS, "expire_readd", ("timerTaskEntry",), frozenset()),
        (system_timer.ARTEFACTS, "cancel_one", ("timerTaskEntry",), frozenset()),
    ],
)
def test_an_auxiliary_variable_that_decides_a_step_is_refused(
    monkeypatch, artefacts, scenario, auxiliary, local
):
    model = type(artefacts.mechanism.model(scenario))

    def judged():
        return reduced.auxiliary_decides(
            reduced.reduce(artefacts.mechanism.model(scenario), artefacts.mechanism.silent)
        )

    assert judged() == ""
    monkeypatch.setattr(model, "AUXILIARY", model.AUXILIARY | set(auxiliary))
    monkeypatch.setattr(model, "LOCAL", local, raising=False)
    assert "AUXILIARY variables decide steps" in judged()
