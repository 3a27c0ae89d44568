"""Whose an exception is, and when a call into a project has lasted too long."""

from __future__ import annotations

import json
import os
import sys
import threading
from types import SimpleNamespace

import pytest

from wheelproof import guest
from wheelproof.errors import UsageError


def module(name: str, text: str, **names: object) -> SimpleNamespace:
    """What a text defines as a module of this name, in a project at /project."""
    values: dict[str, object] = {"__name__": name, **names}
    file = f"/project/{name.replace('.', '/')}.py"
    exec(compile(text, file, "exec", dont_inherit=True), values)
    return SimpleNamespace(**{key: value for key, value in values.items() if key != "__builtins__"})


def fault(act, *arguments):
    """The fault that a call shows; None where it is not the project's."""
    try:
        act(*arguments)
    except BaseException as error:
        return guest.fault_of(error)
    raise AssertionError("nothing was raised")


RAISES = "def shared(value):\n    return 1 / value\n"
CALLS = "def shared(act, *arguments):\n    act(*arguments)\n"


def test_an_exception_of_the_project_has_its_line():
    found = fault(module("harness.lock", RAISES).shared, 0)
    assert found.where == "harness/lock.py:2" and not found.importing and found.exit_code == 2
    assert str(found).startswith("harness/lock.py:2: ZeroDivisionError: division by zero. Correct")


@pytest.mark.parametrize("package", sorted(guest.PACKAGES))
def test_each_package_of_a_project_is_separated_from_the_tool(package):
    assert fault(module(f"{package}.part", RAISES).shared, 0).where == f"{package}/part.py:2"


def test_an_exception_in_a_library_is_of_whom_called_it():
    calls = module("harness.lock", CALLS).shared
    assert fault(calls, json.loads, "{").where == "harness/lock.py:2"
    calls = module("wheelproof.checks.lock", CALLS).shared
    assert fault(calls, json.loads, "{") is None


def test_an_exception_of_the_tool_that_the_project_called_is_the_tools():
    inner = module("wheelproof.checks.lock", RAISES).shared
    assert fault(module("harness.lock", CALLS).shared, inner, 0) is None


def test_an_exception_of_the_project_that_the_tool_was_called_by_is_the_projects():
    inner = module("harness.lock", RAISES).shared
    outer = module("wheelproof.checks.lock", CALLS).shared
    assert fault(outer, inner, 0).where == "harness/lock.py:2"


INHERITS = """
class Model(Machine):
    def __init__(self):
        return
        self.begin()
"""
MACHINE = """
class Machine:
    def begin(self):
        self.start = 1

    def initial(self):
        return self.start

    def other(self):
        return 1 / 0
"""


def test_an_object_that_its_constructor_leaves_unfinished_is_a_fault_of_its_class():
    for runtime, raised in (("wheelproof_runtime.pluscal", True), ("wheelproof.graph.part", False)):
        machine = module(runtime, MACHINE).Machine
        model = module("model.lock", INHERITS, Machine=machine).Model()
        found = fault(model.initial)
        assert (found is not None) == raised
        assert not raised or found.where == "model/lock.py:3"
        assert fault(model.other) is None
        assert fault(machine().initial) is None


@pytest.mark.parametrize("name", ["wheelproof.prove.invariant.system", "wheelproof.isolated"])
def test_a_word_of_proofs_that_is_misused_is_a_fault_of_its_caller(name):
    inner = module(name, RAISES).shared
    assert fault(module("proofs.lock", CALLS).shared, inner, 0).where == "proofs/lock.py:2"
    assert fault(module("wheelproof.checks.lock", CALLS).shared, inner, 0) is None


def test_what_ends_an_import_says_so():
    with pytest.raises(ValueError) as raised:
        module("impl.lock", "\nraise ValueError('mine')\n")
    found = guest.fault_of(raised.value)
    assert found.importing and str(found).startswith(
        "impl/lock.py:2: cannot be imported: ValueError: mine."
    )


def test_a_text_that_does_not_compile_is_its_files():
    with pytest.raises(SyntaxError) as raised:
        module("impl.lock", "x = 1\ndef (:\n")
    assert guest.fault_of(raised.value).where == "impl/lock.py:2"


def test_an_exit_of_the_project_is_a_fault_and_an_interrupt_is_none():
    raises = module("harness.lock", "def shared(error):\n    raise error\n").shared
    assert fault(raises, SystemExit(0)).where == "harness/lock.py:2"
    assert fault(raises, KeyboardInterrupt()) is None
    assert fault(raises, UsageError("It is so.")) is None


def test_a_message_of_any_length_is_cut():
    raises = module("harness.lock", "def shared(text):\n    raise ValueError(text)\n").shared
    message = str(fault(raises, "w" * 1_000_000))
    assert len(message) < 1_000 and "1,000,000 characters" in message


# -- the working folder


def test_a_change_of_the_working_folder_is_undone_and_refused(tmp_path):
    before = os.getcwd()
    with pytest.raises(UsageError, match="changed the working folder"), guest.in_place():
        os.chdir(tmp_path)
    assert os.getcwd() == before


def test_an_exception_is_not_hidden_by_a_change_of_the_working_folder(tmp_path):
    before = os.getcwd()
    with pytest.raises(ZeroDivisionError), guest.in_place():
        os.chdir(tmp_path)
        1 / 0  # noqa: B018
    assert os.getcwd() == before


# -- threads that are left

STARTS = """
import threading

def wait():
    LET_GO.wait()

def start(daemon):
    threading.Thread(target=wait, name="left", daemon=daemon).start()
"""


@pytest.fixture
def let_go():
    event = threading.Event()
    yield event
    event.set()


def test_a_thread_that_is_left_is_named(let_go, monkeypatch):
    monkeypatch.setattr(guest, "PATIENCE", 0.01)
    project = module("impl.lock", STARTS, LET_GO=let_go)
    message = r"impl/lock\.py:5: the thread 'left' outlives"
    with pytest.raises(guest.LeftBehind, match=message), guest.without_threads():
        project.start(False)


@pytest.mark.parametrize(("name", "daemon"), [("impl.lock", True), ("tests.lock", False)])
def test_a_daemon_and_a_thread_of_another_are_let_be(let_go, name, daemon):
    with guest.without_threads():
        module(name, STARTS, LET_GO=let_go).start(daemon)


def test_a_thread_that_was_there_before_is_let_be(let_go, monkeypatch):
    module("impl.lock", STARTS, LET_GO=let_go).start(False)
    with guest.without_threads():
        pass


# -- the budget of a call

LOOKED = "def shared(look):\n    for _ in range(9):\n        look()\n"
DONE = "def shared(look):\n    look()\n"


@pytest.fixture
def watch(monkeypatch):
    """A watch whose looks are the test's, each half a second of CPU time after the one before."""
    now = [0.0]

    def clock() -> float:
        now[0] += 0.25
        return now[0]

    monkeypatch.setattr(guest.time, "process_time", clock)
    monkeypatch.setattr(guest.time, "monotonic", clock)
    return guest.Watch(cpu=2.0, wall=100.0)


def look(watch):
    watch._look(0, sys._getframe())


def test_a_call_that_does_not_return_is_overdue(watch):
    with pytest.raises(guest.Overdue, match=r"harness/lock\.py:3: .* within its budget of 2 s"):
        module("harness.lock", LOOKED).shared(lambda: look(watch))


def test_calls_that_return_are_none_however_many_they_are(watch):
    project = module("harness.lock", DONE)
    for _ in range(99):
        project.shared(lambda: look(watch))


def test_the_time_of_the_tool_is_not_the_projects(watch):
    tool = module("wheelproof.checks.lock", LOOKED)
    tool.shared(lambda: look(watch))
    module("harness.lock", CALLS).shared(tool.shared, lambda: look(watch))


def test_a_proof_may_take_long_and_its_import_may_not(watch):
    module("proofs.lock", LOOKED).shared(lambda: look(watch))
    with pytest.raises(guest.Overdue):
        module("proofs.lock", "for _ in range(9):\n    look()\n", look=lambda: look(watch))


def test_a_call_that_was_overdue_before_has_less_time(watch):
    with pytest.raises(guest.Overdue):
        module("harness.lock", LOOKED).shared(lambda: look(watch))
    with pytest.raises(guest.Overdue, match="budget of 1 s"):
        module("harness.lock", LOOKED).shared(lambda: look(watch))


def test_a_call_that_swallows_everything_ends_the_process(watch, monkeypatch):
    ended = []
    monkeypatch.setattr(guest.os, "_exit", ended.append)
    monkeypatch.setattr(guest.os, "write", lambda *of: None)
    text = """
def shared(look):
    for _ in range(99):
        try:
            look()
        except BaseException:
            pass
"""
    module("harness.lock", text).shared(lambda: look(watch))
    assert 3 in ended
