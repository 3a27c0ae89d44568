"""The order of locks: which edges a search collects, their names, and their places in the code."""

from types import SimpleNamespace

import pytest

from wheelproof.python import ControlledImplementation
from wheelproof.python.runtime.lock_order import LockOrder
from wheelproof.python.runtime.threads import Site
from wheelproof.python.search.search import Search

LOWER = """
from __future__ import annotations
from impl.runtime import Lock, Plain

class Log:
    __slots__ = ("guard", "lines")
    lines: Plain[int]

    def __init__(self):
        self.guard = Lock()
        self.lines = 0

    def note(self):
        with self.guard:
            self.lines = self.lines + 1
"""
BANK = """
from __future__ import annotations
from impl.lower import Log
from impl.runtime import Condition, Gate, Lock, Monitor, ReadWriteLock
from impl.threads import TIMEOUT_MAX

class Account:
    __slots__ = ("monitor",)

    def __init__(self):
        self.monitor = Monitor()

    def add(self):
        with self.monitor:  # lock A1, unlock A2
            pass

class Savings(Account):
    __slots__ = ()

class Bank:
    __slots__ = ("one", "two", "lock", "doors", "changed", "log", "gate", "drawers")

    def __init__(self):
        self.one, self.two = Account(), Savings()
        self.lock, self.doors = ReadWriteLock(), Lock()
        self.changed, self.log, self.gate = Condition(Lock()), Log(), Gate()
        self.drawers = [Lock(), Lock()]

    def move(self):
        with self.one.monitor:  # lock M1, unlock M4
            with self.two.monitor:  # lock M2, unlock M3
                pass

    def again(self):
        with self.doors:  # lock N1, unlock N4
            with self.one.monitor:  # lock N2, unlock N3
                self.one.add()

    def look(self):
        with self.lock.read_lock:  # lock L1, unlock L2
            self.one.add()

    def change(self):
        with self.one.monitor:  # lock C1, unlock C4
            with self.lock.write_lock:  # lock C2, unlock C3
                pass

    def each(self, callback):
        with self.doors:  # lock E1, unlock E2
            callback(self.one)

    def open(self):
        with self.doors:  # lock O1, unlock O4
            if self.one.monitor.acquire(blocking=False):  # try O2
                self.one.monitor.release()  # unlock O3

    def tried(self):
        if self.doors.acquire(blocking=False):  # try T1
            self.one.add()
            self.doors.release()  # unlock T2

    def patient(self):
        with self.doors:  # lock P1, unlock P5
            if self.one.monitor.acquire(timeout=5):  # wait P2, wake P3
                self.one.monitor.release()  # unlock P4

    def in_time(self):
        if self.doors.acquire(timeout=5):  # wait Q1, wake Q2
            self.one.add()
            self.doors.release()  # unlock Q3

    def sleep(self):
        with self.doors:  # lock S1, unlock S8
            with self.changed:  # lock S2, unlock S7
                self.changed.wait()  # wait S3, wake S4, lock S5

    def inside(self):
        with self.changed:  # lock I1, unlock I7
            self.changed.wait()  # wait I2, wake I3, lock I4
            self.one.add()

    def wake(self):
        with self.changed:  # lock W1, unlock W3
            self.changed.notify_all()  # notify W2

    def noted(self):
        with self.doors:  # lock G1, unlock G3
            self.log.note()  # update G2

    def never(self):
        return 1

    def due(self):
        with self.doors:  # lock D1, unlock D4
            self.gate.acquire_when(self.never, 10)  # lock D2
            self.gate.release()  # unlock D3

    def drawer(self, index):
        with self.drawers[index]:  # lock R1, unlock R2
            self.one.add()

    def fresh(self):
        with self.doors:  # lock F1, unlock F2
            made = Account()
            made.add()

    def hand(self):
        self.doors.acquire()  # lock H1

    def take(self):
        self.doors.release()  # unlock H2
        self.one.add()
"""
HARNESS = """
from impl import bank
from impl.runtime import Monitor
SUBJECT = ("impl.bank",)
ATOMIC = {"impl.lower": ()}

class Harness:
    def __init__(self, scenario, impl=bank):
        self.bank, self.outer = impl.Bank(), Monitor()
        self.names = {"bank": self.bank, "outer": self.outer}

    def deposit(self):
        self.bank.each(self.add)

    def add(self, account):
        account.add()

    def called(self):
        with self.outer:  # lock Z1, unlock Z2
            self.bank.one.add()

"""
OPERATIONS = """
    def {0}(self):
        self.bank.{0}({1})
"""
SHARED = """
def shared(harness):
    return {}
"""


def loaded(folder, *programs, change=("", "")):
    """The implementation and a scenario of threads with one operation each."""
    for name, text in {
        "impl/__init__.py": "",
        "impl/lower.py": LOWER,
        "impl/bank.py": BANK.replace(*change),
        "harness/bank.py": HARNESS
        + "".join(
            OPERATIONS.format(name, ", ".join(arguments))
            for operation in programs
            if operation.startswith("do ")
            for name, *arguments in [operation.split()[1:]]
        )
        + SHARED,
    }.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    implementation = ControlledImplementation.load(folder, "bank", lint=False)
    names = [each.removeprefix("do ").split()[0] for each in programs]
    return implementation, {"threads": {f"t{i}": [[name]] for i, name in enumerate(names)}}


def collected(folder, *programs, change=("", "")):
    """The order of all runs; nothing else is checked."""
    implementation, scenario = loaded(folder, *programs, change=change)
    ended = Search(implementation, scenario, 60).run()
    assert ended.difference is None, ended.difference
    return implementation.order


def edges(order):
    return {(edge.name, edge.place.name) for edge in order.found}


ADD = "impl/bank.py Account.add A1"


@pytest.mark.parametrize(
    ("program", "edge", "place"),
    [
        ("do again", "Bank.doors -> Account.monitor", "impl/bank.py Bank.again N2"),
        ("do look", "Bank.lock(read) -> Account.monitor", ADD),
        ("do change", "Account.monitor -> Bank.lock(write)", "impl/bank.py Bank.change C2"),
        ("do move", "Account.monitor -> Account.monitor", "impl/bank.py Bank.move M2"),
        ("deposit", "Bank.doors -> Account.monitor", ADD),
        ("called", "bank.outer -> Account.monitor", ADD),
        ("do noted", "Bank.doors -> Log.guard", "impl/lower.py Log.note"),
        ("do due", "Bank.doors -> Bank.gate", "impl/bank.py Bank.due D2"),
        ("do drawer 1", "Bank.drawers -> Account.monitor", ADD),
        ("do fresh", "Bank.doors -> Account.monitor", ADD),
        ("do tried", "Bank.doors -> Account.monitor", ADD),
        ("do in_time", "Bank.doors -> Account.monitor", ADD),
    ],
)
def test_a_lock_that_is_taken_while_one_is_held_is_an_edge(tmp_path, program, edge, place):
    assert edges(collected(tmp_path, program)) == {(edge, place)}


def test_an_edge_has_the_lines_of_both_locks(tmp_path):
    ((edge, since),) = collected(tmp_path, "do move").found.items()
    lines = BANK.splitlines()
    assert "lock M2" in lines[edge.place.line - 1] and "lock M1" in lines[since.line - 1]
    assert (since.where, edge.place.where) == (
        f"impl/bank.py:{since.line} M1",
        f"impl/bank.py:{edge.place.line} M2",
    )


def test_a_try_does_not_wait_and_is_no_edge(tmp_path):
    order = collected(tmp_path, "do open")
    assert edges(order) == set()
    assert order.classes == {"Bank.doors", "Account.monitor"}


def test_a_wait_with_a_time_out_ends_and_is_no_edge(tmp_path):
    order = collected(tmp_path, "do patient", "do again")
    assert edges(order) == {("Bank.doors -> Account.monitor", "impl/bank.py Bank.again N2")}
    timed = "acquire(timeout=5):  # wait P2, wake P3"
    for endless in ("acquire(timeout=-1)", "acquire(timeout=TIMEOUT_MAX)"):
        change = (timed, f"{endless}:  # lock P2")
        found = edges(collected(tmp_path, "do patient", change=change))
        assert found == {("Bank.doors -> Account.monitor", "impl/bank.py Bank.patient P2")}


def test_a_lock_alone_is_a_class_without_an_edge(tmp_path):
    order = collected(tmp_path, "do each 1", change=("callback(self.one)", "pass"))
    assert (edges(order), order.classes) == (set(), {"Bank.doors"})


def test_a_sleeper_holds_no_lock_of_its_condition_and_takes_it_again(tmp_path):
    found = edges(collected(tmp_path, "do sleep", "do inside", "do wake"))
    assert found == {
        ("Bank.doors -> Bank.changed", "impl/bank.py Bank.sleep S2"),
        ("Bank.doors -> Bank.changed", "impl/bank.py Bank.sleep S5"),
        ("Bank.changed -> Account.monitor", ADD),
    }


def test_a_lock_that_another_thread_releases_is_held_no_longer(tmp_path):
    implementation, scenario = loaded(tmp_path, "do hand", "do take")
    run = implementation.begin(scenario)
    run.step(0)
    assert [len(thread.held) for thread in run.threads] == [1, 0]
    run.step(1)
    assert [len(thread.held) for thread in run.threads] == [0, 0]


def test_a_thread_that_never_gets_a_lock_has_its_edge_all_the_same(tmp_path):
    order = collected(tmp_path, "do hand", "do again")
    waits = collected(
        tmp_path,
        "do each 1",
        change=("callback(self.one)", "self.gate.acquire_when(self.never, 1)  # lock E3"),
    )
    assert ("Bank.doors -> Bank.gate", "impl/bank.py Bank.each E3") in edges(waits)
    assert edges(order) == {("Bank.doors -> Account.monitor", "impl/bank.py Bank.again N2")}


def test_runs_that_are_no_search_need_no_names_before(tmp_path):
    implementation, scenario = loaded(tmp_path, "do noted")
    run = implementation.begin(scenario)
    while enabled := run.enabled():
        run.step(min(enabled))
    found = {(edge.name, edge.place.name) for edge in implementation.order.found}
    assert found == {("Bank.doors -> Log.guard", "impl/lower.py Log.note")}


@pytest.mark.parametrize(
    ("program", "old", "new", "edge", "place"),
    [
        (
            "do look",
            "with self.lock.read_lock:  # lock L1, unlock L2\n            self.one.add()",
            "with self.one.monitor:  # lock L3, unlock L4\n"
            "            with self.lock.read_lock:  # lock L1, unlock L2\n                pass",
            "Account.monitor -> Bank.lock(read)",
            "impl/bank.py Bank.look L1",
        ),
        (
            "do again",
            "with self.doors:  # lock N1, unlock N4\n"
            "            with self.one.monitor:  # lock N2, unlock N3\n"
            "                self.one.add()",
            "with self.one.monitor:  # lock N1, unlock N4\n            self.one.add()\n"
            "            with self.doors:  # lock N2, unlock N3\n                pass",
            "Account.monitor -> Bank.doors",
            "impl/bank.py Bank.again N2",
        ),
        (
            "deposit",
            "callback(self.one)",
            "pass\n        with self.one.monitor:  # lock E3, unlock E4\n"
            "            callback(self.two)",
            "Account.monitor -> Account.monitor",
            ADD,
        ),
    ],
    ids=["a half", "a monitor again", "a callback"],
)
def test_a_planted_change_of_the_order_is_seen(tmp_path, program, old, new, edge, place):
    assert BANK.count(old) == 1
    assert edges(collected(tmp_path, program, change=(old, new))) == {(edge, place)}


@pytest.mark.parametrize("site", [None, Site(None, "lock", True, "a.py", 1, "f")])
def test_a_lock_that_is_taken_within_a_step_has_a_place_of_its_own(site, monkeypatch):
    taken = []
    monkeypatch.setattr(LockOrder, "inside", lambda self, *arguments: taken.append(arguments))
    order, thread, lock = LockOrder(None), SimpleNamespace(held=[]), object()
    order.enter(thread, lock, site)
    assert taken == [(thread, lock, True)] and thread.held == []
    step = Site("A1", "lock", True, "a.py", 1, "f")
    order.enter(thread, lock, step)
    assert len(taken) == 1 and thread.held == [(lock, step)]


def test_a_lock_that_is_gone_leaves_its_number_to_no_other_object():
    """An object that is made later may get its id: it is no lock, and has no name."""

    class Scheduler:
        running = None

    order = LockOrder(Scheduler())
    order.begin("scenario")
    order.add(object())
    assert all(id(lock) in order._keys for lock in order._locks) and len(order._locks) == 1
    assert id(object()) not in order._keys
    order.begin("scenario")
    assert not order._keys and not order._locks
