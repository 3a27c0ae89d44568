"""What makes a checker of threads answer wrongly, or hang."""

import contextvars
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.wheelproof.plain import (
    faulty_data,
    handed,
    hidden_accesses,
    identities,
    process_state,
    traps,
)
from wheelproof.plain import columns, guards, state
from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.exploration import Explorer, explore_program
from wheelproof.plain.instrument import containers

ROOT = Path(__file__).resolve().parents[3]
REAL = threading.Lock()
PLAIN = traps.Plain()


SOUND = [
    *traps.EXHAUSTED,
    *identities.EXHAUSTED,
    *handed.EXHAUSTED,
    *hidden_accesses.EXHAUSTED,
    *process_state.EXHAUSTED,
]


@pytest.mark.daily(11)
@pytest.mark.parametrize("program", SOUND, ids=lambda program: program.__name__)
def test_a_program_that_only_looks_wrong_is_exhausted(program):
    found = explore_program(program)
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)


@pytest.mark.daily(5)
@pytest.mark.parametrize(
    "program",
    [*traps.BUGS, *handed.BUGS, *hidden_accesses.BUGS, *process_state.BUGS],
    ids=lambda program: program.__name__,
)
def test_a_race_that_hides_is_a_bug(program):
    found = explore_program(program)
    assert found.answer is Answer.BUG, found.reason


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    "program",
    [*handed.UNSEEN, *hidden_accesses.UNSEEN, *process_state.UNSEEN],
    ids=lambda program: program.__name__,
)
def test_threads_that_meet_where_nothing_is_looked_into_are_no_pass(program):
    found = explore_program(program)
    assert found.answer is Answer.UNSEEN, (found.reason, found.failure)


def test_a_thread_s_target_in_c_is_an_access():
    found = explore_program(faulty_data.target_in_c)
    assert found.answer is Answer.BUG and found.failure.preemptions == 1, found


def test_a_loop_in_a_structure_is_endless():
    explorer = Explorer(traps.loop_without_an_end)
    explorer.execution.most_accesses = 5_000
    assert explorer.explore().failure.kind is FailureKind.ENDLESS


def test_a_loop_that_works_while_it_polls_is_never_a_pass():
    explorer = Explorer(traps.worker_with_work)
    explorer.execution.most_points = 200
    assert explorer.explore().answer is Answer.BUDGET


@pytest.mark.nightly
def test_chance_is_no_answer():
    answers = {explore_program(traps.chance_decides).answer for _ in range(10)}
    assert answers == {Answer.NONDETERMINISTIC}


def test_the_order_of_addresses_is_named_where_a_run_depends_on_it(monkeypatch):
    monkeypatch.setattr(sys, "held", [], raising=False)
    found = explore_program(identities.addresses_decide)
    assert found.answer is Answer.NONDETERMINISTIC
    assert "set(kept) takes the elements of a set in the order of their addr" in found.reason


def interrupted_in_a_thread():
    def interrupt():
        raise KeyboardInterrupt

    thread = threading.Thread(target=interrupt)
    thread.start()
    thread.join()


def test_an_interrupt_within_a_thread_is_no_bug():
    with pytest.raises(KeyboardInterrupt):
        explore_program(interrupted_in_a_thread)


def uses_a_real_lock(lock):
    def use():
        with lock:
            pass

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()


def test_a_real_lock_ends_the_run_with_its_line():
    explorer = Explorer(None)
    module = explorer.world.load(__name__)
    explorer.program = lambda: module.uses_a_real_lock(REAL)
    line = uses_a_real_lock.__code__.co_firstlineno + 2
    found = explorer.explore()
    assert found.answer is Answer.UNSEEN
    assert f"{__file__}:{line}: lock:" in found.reason


def test_a_real_wait_ends_by_the_watchdog(monkeypatch):
    monkeypatch.setattr(guards.Guards.__init__, "__defaults__", (1.0,))
    explorer = Explorer(None)

    def wait_for_real():
        REAL.acquire()
        try:
            REAL.acquire()
        finally:
            REAL.release()

    explorer.program = wait_for_real
    found = explorer.explore()
    assert found.answer is Answer.UNSEEN and "REAL.acquire()" in found.reason


@pytest.mark.daily(2)
@pytest.mark.parametrize("runs", [0, 3])
def test_a_limit_while_a_failure_is_shortened_keeps_it(runs):
    explorer = Explorer(faulty_data.closure_counts_too_little)
    whole = explorer.explore()
    explorer = Explorer(faulty_data.closure_counts_too_little, seed=1)
    first = []

    def is_over():
        first.extend([explorer.execution.executions] * (not first and explorer.found is not None))
        return bool(first) and explorer.execution.executions > first[0] + runs

    explorer.ends = is_over
    found = explorer.explore()
    assert found.answer is Answer.BUG and found.executions < whole.executions
    assert found.failure.minimal is False and found.failure.steps
    assert "not shown to be the fewest" in columns.text(found)


def test_a_budget_is_no_pass():
    found = explore_program(traps.polling_of_a_flag, executions=2)
    assert found.answer is Answer.BUDGET and found.verdict == "inconclusive"


def test_the_interpreter_ends_after_an_exploration():
    program = (
        "from wheelproof.plain.exploration import explore_program\n"
        "from tests.wheelproof.plain import faulty\n"
        "print(explore_program(faulty.locks_in_two_orders).answer)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "bug\n", "")


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("program", "answer"), [(traps.loop_of_nothing, Answer.BUG), (traps.long_count, Answer.BUDGET)]
)
def test_only_a_loop_that_repeats_itself_is_endless(program, answer, monkeypatch):
    monkeypatch.setattr(guards.Guards.__init__, "__defaults__", (0.5,))
    assert explore_program(program, executions=1).answer is answer


def test_state_that_cannot_be_recorded_is_no_pass(monkeypatch):
    monkeypatch.setattr(state, "MOST", 10)
    assert explore_program(traps.polling_of_a_flag).answer is Answer.UNSEEN


@pytest.mark.daily(2)
@pytest.mark.parametrize("known", [True, False])
def test_a_context_variable_is_no_shared_object(known, monkeypatch):
    types = containers.IMMUTABLE - ({contextvars.ContextVar} if not known else set())
    monkeypatch.setattr(containers, "IMMUTABLE", types)
    found = explore_program(traps.context_of_each_thread)
    assert found.answer is Answer.EXHAUSTED
    places = [place.text for place in found.racy_places]
    assert any(text.startswith("variable.") for text in places) is not known
