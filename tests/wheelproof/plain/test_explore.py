"""``wheelproof.explore``, as a function."""

import asyncio
import inspect
import os
import signal
import subprocess
import sys
import threading

import pytest

import wheelproof
from tests.wheelproof.plain.started import run
from wheelproof.commands import ending
from wheelproof.errors import UsageError
from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.calling import ExplorationFailed
from wheelproof.plain.exploration import EXECUTIONS
from wheelproof.plain.progress import Progress
from wheelproof.plain.searching import Interrupted

PROGRAM = """
import threading, wheelproof
def program():
    shared = []
    def work():
        shared.append(1)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert len(shared) == 2
if __name__ == "__main__":
    print(wheelproof.explore(program).answer)
"""

EVERY_MODULE = """
import importlib, pkgutil, wheelproof
for module in pkgutil.walk_packages(wheelproof.__path__, "wheelproof."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError as error:  # of a package that only some commands need
            assert not (error.name or "").startswith("wheelproof"), error
"""


class Counter:
    def __init__(self):
        self.count = 0

    def increment(self):
        self.count += 1


def lost_update():
    counter = Counter()
    run(counter.increment, counter.increment)
    assert counter.count == 2


def guarded():
    counter, lock = Counter(), threading.Lock()

    def work():
        with lock:
            counter.increment()

    run(work, work)
    assert counter.count == 2


class Pool:
    def __init__(self):
        self.free, self.lock = [0], threading.Lock()

    def get(self):
        if self.free:
            with self.lock:
                return self.free.pop()


def taken_twice():
    pool = Pool()
    run(pool.get, pool.get)


def alone():
    assert Counter().count == 0


def prints():
    print("an execution")
    guarded()


def waits_for_a_process():
    subprocess.run([sys.executable, "-c", ""], check=True)


async def nothing():
    pass


def loops():
    asyncio.run(nothing())


def interrupts():
    os.kill(os.getpid(), signal.SIGINT)
    lost_update()


def terminates():
    os.kill(os.getpid(), signal.SIGTERM)
    lost_update()


def needs(argument):
    pass


def many(count):
    """A function within another, with a variable of that."""

    def program():
        counter = Counter()
        run(*[counter.increment] * count)
        assert counter.count == count

    return program


def kept(counter):
    def program():
        run(counter.increment, counter.increment)

    return program


def test_a_program_that_is_searched_to_the_end_returns_its_exploration():
    found = wheelproof.explore(guarded)
    assert found.answer is Answer.EXHAUSTED and found.executions > 1


def test_a_failing_program_raises_an_assertion_error_that_holds_the_exploration():
    with pytest.raises(AssertionError) as caught:
        wheelproof.explore(lost_update)
    assert isinstance(caught.value, ExplorationFailed)
    assert caught.value.exploration.answer is Answer.BUG
    assert str(caught.value).startswith("bug: ")


def test_a_failure_in_the_first_run_is_found_again():
    """The first run makes places visible: only later runs show them."""
    with pytest.raises(ExplorationFailed) as caught:
        wheelproof.explore(taken_twice)
    failure = caught.value.exploration.failure
    assert failure.kind is FailureKind.EXCEPTION and failure.minimal
    assert {"self.free", "self.free.pop()"} <= {step.place.text for step in failure.steps}


def test_a_search_that_is_cut_short_or_saw_nothing_is_no_pass():
    for program, most, answer in ((guarded, 3, Answer.BUDGET), (alone, 100, Answer.VACUOUS)):
        with pytest.raises(ExplorationFailed) as caught:
            wheelproof.explore(program, executions=most)
        assert caught.value.exploration.answer is answer


def test_a_bounded_search_is_a_pass_where_the_bound_is_given():
    found = wheelproof.explore(guarded, bound=0)
    assert found.answer is Answer.BOUNDED and found.bound == 0
    with pytest.raises(ExplorationFailed):
        wheelproof.explore(lost_update, bound=1)


def test_functions_within_functions_are_explored():
    assert wheelproof.explore(many(1)).answer is Answer.EXHAUSTED
    for program in (many(2), lambda: lost_update()):
        with pytest.raises(ExplorationFailed):
            wheelproof.explore(program)


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("program", "options", "named"),
    [
        (7, {}, "7 is no function"),
        (nothing, {}, "nothing is asynchronous"),
        (needs, {}, "missing a required argument: 'argument'"),
        (Counter().increment, {}, "an object that exists already"),
        (kept(Counter()), {}, "uses counter, an object of Counter"),
        (print, {}, "print is no function in Python"),
        (waits_for_a_process, {}, "starts a subprocess"),
        (loops, {}, "starts an event loop of asyncio"),
        (guarded, {"bound": -1}, "bound=-1"),
        (guarded, {"bound": True}, "bound=True"),
        (guarded, {"executions": 0}, "executions=0"),
        (guarded, {"into": "a b"}, "into='a b'"),
        (guarded, {"seed": "x"}, "seed='x'"),
    ],
)
def test_what_cannot_be_explored_is_named(program, options, named):
    with pytest.raises(UsageError) as caught:
        wheelproof.explore(program, **options)
    assert named in str(caught.value)


def test_a_subprocess_can_be_started_once_the_exploration_is_over():
    with pytest.raises(UsageError):
        wheelproof.explore(waits_for_a_process)
    waits_for_a_process()


def test_a_block_outside_pytests_calls_names_the_function_to_call():
    code = "import wheelproof\nwith wheelproof.explore(): pass"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "UsageError" in ended.stderr and "wheelproof.explore(program)" in ended.stderr


def test_programs_print_nothing_while_they_are_explored(capsys):
    wheelproof.explore(prints)
    assert capsys.readouterr().out == ""
    prints()
    assert capsys.readouterr().out == "an execution\n"


def test_an_interrupt_ends_the_search_with_what_was_done():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt) as caught:
        wheelproof.explore(interrupts)
    assert isinstance(caught.value, Interrupted)
    assert str(caught.value).startswith("interrupts: interrupted after 1 executions, ")
    assert signal.getsignal(signal.SIGINT) is before


def test_sigterm_ends_a_search_of_a_command_as_an_interrupt_does():
    with ending.by_exception():
        before = signal.getsignal(signal.SIGTERM)
        with pytest.raises(Interrupted) as caught:
            wheelproof.explore(terminates)
        assert signal.getsignal(signal.SIGTERM) is before
    assert caught.value.code == 143
    assert str(caught.value).startswith("terminates: ended by SIGTERM after 1 executions, ")


def test_modules_are_the_real_ones_again_after_an_exploration():
    before = sys.modules[__name__]
    wheelproof.explore(guarded)
    assert sys.modules[__name__] is before


def script(tmp_path, text):
    (tmp_path / "script.py").write_text(text)
    return subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )


def test_no_module_of_the_tool_hides_the_function(tmp_path):
    hidden = "    wheelproof.explore = wheelproof.plain\n    wheelproof.explore(program)\n"
    ended = script(tmp_path, EVERY_MODULE + PROGRAM + hidden)
    assert ended.stdout == "exhausted\n", ended.stderr
    assert "'module' object is not callable" in ended.stderr  # what a module would do


def test_the_default_budget_is_that_of_the_engine():
    default = inspect.signature(wheelproof.explore).parameters["executions"].default
    assert default == EXECUTIONS


def shown(over):
    """The lines of an exploration of 20 seconds, with ten executions a second."""
    written, now = [], [0.0]
    progress = Progress(written.append, over, lambda: now[0])
    for tenth in range(1, 200):
        now[0] = tenth / 10
        if progress.due():
            progress.show(tenth, 3)
    progress.end()
    return written


def test_progress_begins_after_five_seconds_and_its_lines_come_ever_later():
    assert shown(over=False) == [
        "exploring: 50 executions, 3 racy places, 10/s\n",
        "exploring: 100 executions, 3 racy places, 10/s\n",
    ]


def test_progress_on_a_terminal_is_one_line_that_is_taken_away():
    lines = shown(over=True)
    assert len(lines) == 16 and all(line.startswith("\r") for line in lines)
    assert lines[-1].strip() == "" and "\n" not in "".join(lines)
