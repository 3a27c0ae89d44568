"""Code that no scenario runs is reported by name; useless exceptions are rejected."""

import pytest

from tests.model import system_timer, timer
from tests.model.artefacts import ROOT
from wheelproof.checks import coverage
from wheelproof.checks.context import Context, Report
from wheelproof.python import ControlledImplementation, bisimulate
from wheelproof.python.style.branches import Branches

RARE = (
    "        deadline, current = entry.expiration_ms, self.current_time\n",
    "        deadline, current = entry.expiration_ms, self.current_time\n"
    "        if deadline > 1_000_000:\n            return True\n",
)


def planted(monkeypatch, artefacts, module, old, new):
    """The subject with a changed module, and the branches that its smallest scenario comes to."""
    text = (ROOT / "impl" / f"{module}.py").read_text(encoding="utf-8")
    assert text.count(old) == 1
    texts = {f"impl.{module}": text.replace(old, new)}
    monkeypatch.setattr(
        Context,
        "implementation",
        lambda self, **options: ControlledImplementation.load(ROOT, artefacts.name, texts=texts),
    )
    return Context(artefacts.mechanism, ROOT / "build")


def everything(context):
    """A report in which all runs but what NOT_RUN names and what was planted."""
    implementation = context.implementation()
    declared, _ = implementation.branches()
    return Report(
        branches={
            each
            for each in declared
            if not any(each.startswith(name) for name in implementation.not_run)
        }
    )


@pytest.mark.parametrize("artefacts", [system_timer.ARTEFACTS, timer.ARTEFACTS])
def test_all_that_is_declared_makes_the_row_pass(artefacts):
    context = Context(artefacts.mechanism, ROOT / "build")
    row = coverage.branches(context, [everything(context)])
    assert row.ok and row.figures["declared"] == row.figures["run"] + row.figures["excepted"]


def test_a_branch_on_late_deadlines_passes_the_bisimulation_and_not_the_row(monkeypatch):
    context = planted(monkeypatch, system_timer.ARTEFACTS, "timing_wheel", *RARE)
    implementation = context.implementation()
    rows, shared_of = system_timer.ARTEFACTS.rows("one_adder")
    assert (
        bisimulate(
            implementation, system_timer.MECHANISM.scenarios["one_adder"], rows, shared_of
        ).outcome
        == "equal"
    )
    met = implementation.branches()[1]
    assert "impl.timing_wheel: TimingWheel.add: deadline > 1000000 is false" in met
    full = everything(context)
    row = coverage.branches(
        context,
        [Report(branches={each for each in full.branches if "1000000 is true" not in each})],
    )
    assert (
        not row.ok
        and row.verdict == "vacuous"
        and "TimingWheel.add: deadline > 1000000 is true" in row.why
    )


def test_a_function_that_nothing_calls_is_reported(monkeypatch):
    context = planted(
        monkeypatch,
        timer.ARTEFACTS,
        "timer_task_list",
        "    def flush(self, callback",
        "    def forget(self):\n        self.root.list = None\n\n    def flush(self, callback",
    )
    implementation = context.implementation()
    rows, shared_of = timer.ARTEFACTS.rows("remove_cancel")
    assert (
        bisimulate(
            implementation, timer.MECHANISM.scenarios["remove_cancel"], rows, shared_of
        ).outcome
        == "equal"
    )
    row = coverage.branches(
        context,
        [
            Report(
                branches=everything(context).branches
                - {"impl.timer_task_list: TimerTaskList.forget is called"}
            )
        ],
    )
    assert not row.ok and "TimerTaskList.forget is called" in row.why


@pytest.mark.parametrize("reason, run", [("", False), ("  ", False), ("a good one", True)])
def test_an_exception_needs_a_reason_and_a_use(monkeypatch, reason, run):
    context = Context(timer.MECHANISM, ROOT / "build")
    report = everything(context)
    name = "impl.timer_task_list: TimerTaskList.flush"
    if not run:
        report.branches = {each for each in report.branches if not each.startswith(name)}
    monkeypatch.setattr(
        ControlledImplementation,
        "not_run",
        property(lambda self: {**self._loaded.harness_module.NOT_RUN, name: reason}),
    )
    row = coverage.branches(context, [report])
    assert (
        not row.ok
        and (f"NOT_RUN has entries that run, that do not exist or that have no reason: {name}")
        in row.why
    )


def test_nothing_run_is_vacuous():
    assert coverage.branches(Context(timer.MECHANISM, ROOT / "build"), []).verdict == "vacuous"


def test_both_outcomes_of_each_condition_count():
    branches = Branches()
    code = branches.compile_file(
        "impl.x",
        '''
class C:
    def f(self, a, b, c=0):
        """Text."""
        while a and b:
            a = b = 0
        try:
            return 1 if c else {}[0]
        except KeyError:
            return None

    def g(self):
        raise NotImplementedError
''',
        "x.py",
    )
    namespace = {"__wheelproof_branch__": branches.note}
    exec(code, namespace)
    assert namespace["C"]().f(1, 1) is None
    assert {
        each.removeprefix("impl.x: C.f: ") for each in branches.declared - branches.collect()
    } == {"c is true"}
    assert "impl.x: C.f: except KeyError is called" in branches.met and not any(
        "C.g" in each for each in branches.declared
    )
    assert (
        namespace["C"]().f(0, 1) is None and "impl.x: C.f: a and b is false" in branches.collect()
    )


def test_filters_and_cases_are_conditions():
    branches = Branches()
    code = branches.compile_file(
        "impl.x",
        """
def late(deadlines):
    return [each for each in deadlines if each > 1000000]

def kind(value, strict):
    match value:
        case 0:
            return "none"
        case int() if strict:
            return "some"
        case _:
            return "other"
""",
        "x.py",
    )
    namespace = {"__wheelproof_branch__": branches.note}
    exec(code, namespace)
    assert namespace["late"]([1, 2]) == [] and namespace["kind"](0, False) == "none"
    assert branches.declared - branches.collect() == {
        "impl.x: late: each > 1000000 is true",
        "impl.x: kind: case int() is called",
        "impl.x: kind: strict is true",
        "impl.x: kind: strict is false",
        "impl.x: kind: case _ is called",
    }
    assert [namespace["kind"](1, strict) for strict in (True, False)] == ["some", "other"]
    assert namespace["late"]([2_000_000]) == [2_000_000]
    assert branches.declared == branches.collect()
