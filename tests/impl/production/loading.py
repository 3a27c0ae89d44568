"""The implementation as production imports it, in changed copies; steered threads and condition."""

from __future__ import annotations

import importlib
import math
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from tests.impl.real_threads import MOMENT_S
from tests.model.artefacts import ROOT
from wheelproof import isolated
from wheelproof.python.labels import KINDS, NAME

MODULES = sorted(file.stem for file in (ROOT / "impl").glob("*.py") if file.stem != "__init__")
LABEL = re.compile(rf"  # (?:(?:{'|'.join(sorted(KINDS))}) {NAME.pattern}(?:, )?)+$", re.MULTILINE)

Changes = tuple[tuple[str, str], ...]
"""(old, new) texts of one module without its labels; each old one must be there once."""


def source(module: str) -> str:
    """The text of a module of ``impl`` without the labels, which production does not read."""
    return LABEL.sub("", (ROOT / "impl" / f"{module}.py").read_text(encoding="utf-8"))


def text(module: str, changes: Sequence[tuple[str, str]], labels: bool = False) -> str:
    """A module's text with changes, each old text there once. ``labels``: its steps' labels too."""
    new_text = (
        (ROOT / "impl" / f"{module}.py").read_text(encoding="utf-8") if labels else source(module)
    )
    for old, new in changes:
        assert new_text.count(old) == 1, f"{module}: {old!r} is there {new_text.count(old)} times"
        new_text = new_text.replace(old, new)
    return new_text


def changed(changes: Changes) -> dict[str, str]:
    """The one module of ``impl`` that has all the old texts, and its text with the new ones."""
    homes = [
        module for module in MODULES if all(source(module).count(old) == 1 for old, _ in changes)
    ]
    assert len(homes) == 1, f"{changes[0][0]!r} is once in {homes or 'no module'}"
    text = source(homes[0])
    for old, new in changes:
        text = text.replace(old, new)
    return {f"impl.{homes[0]}": text}


def loaded(texts: Mapping[str, str] = {}) -> SimpleNamespace:
    """All modules of the implementation, apart from those that other tests use.

    The end of the process waits for no call of theirs: a fault may have one wait for ever.
    """
    with isolated.apart(isolated.Finder(ROOT, texts)):
        made = SimpleNamespace(
            **{name: importlib.import_module(f"impl.{name}") for name in MODULES}
        )
    made.one_thread.at_end = made.one_thread.not_at_end = lambda function: None
    return made


class Running:
    """A daemon thread. ``error``: what its body raised; ``ended``: it is through."""

    def __init__(self, body: Callable[[], Any]) -> None:
        self.error: BaseException | None = None
        self.result: Any = None
        self._body = body
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.result = self._body()
        except BaseException as error:
            self.error = error

    @property
    def ended(self) -> bool:
        return not self.thread.is_alive()


class Holder(Running):
    """A thread that enters a lock and stays ``inside`` until it is to ``leave``."""

    def __init__(self, lock: Any) -> None:
        self.inside, self._leave = False, threading.Event()
        self._lock = lock
        super().__init__(self._hold)

    def _hold(self) -> None:
        with self._lock:
            self.inside = True
            self._leave.wait()
            self.inside = False

    def leave(self) -> None:
        self._leave.set()


def locked(lock: Any) -> bool:
    """Whether any thread holds a lock. Python 3.11's ``RLock`` has no method that says so."""
    return repr(lock).startswith("<locked ")


class Waits:
    """Waits ``within_s`` at most for an event, and ``moment_s`` for one that must not come."""

    def __init__(self, within_s: float, moment_s: float = MOMENT_S) -> None:
        self.within_s, self.moment_s = within_s, moment_s

    def until(self, true: Callable[[], object], says: str) -> None:
        """AssertionError where it does not become true."""
        end = time.monotonic() + self.within_s
        while not true():
            assert time.monotonic() < end, says
            time.sleep(0.0005)


class Interrupted(BaseException):
    """What a steered condition raises in a thread that sleeps."""


class Steered:
    """A condition whose time passes, and whose sleepers wake, when a check calls for it.

    ``sleepers`` are (deadline, wake, ...), oldest first.

    ``notify`` wakes the youngest: Python promises no order, so no implementation may rely on one.
    """

    now = 0.0

    def __init__(self, lock: Any = None) -> None:
        self.lock = threading.Lock()  # any thread of a check may release it
        self.sleepers: list[list] = []
        self.refuses = False  # to let anybody sleep

    def acquire(self) -> bool:
        return self.lock.acquire()

    def release(self) -> None:
        self.lock.release()

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self.lock.release()

    def wait(self, timeout: float | None = None) -> bool:
        if self.refuses:
            raise Interrupted
        sleeper = [
            math.inf if timeout is None else Steered.now + timeout,
            threading.Semaphore(0),
            "",
        ]
        self.sleepers.append(sleeper)
        self.lock.release()
        sleeper[1].acquire()
        self.lock.acquire()
        if sleeper[2] == "interrupted":
            raise Interrupted
        return sleeper[2] == "notified"

    def notify(self, n: int = 1) -> None:
        assert self.lock.locked(), "notified without its lock"
        for _ in range(min(n, len(self.sleepers))):
            self._wake(self.sleepers[-1], "notified")

    def notify_all(self) -> None:
        self.notify(len(self.sleepers))

    def elapse(self, seconds: float) -> None:
        """Let time pass."""
        with self.lock:
            Steered.now += seconds
            for sleeper in list(self.sleepers):
                if sleeper[0] <= Steered.now:
                    self._wake(sleeper, "late")

    def interrupt(self, place: int) -> None:
        with self.lock:
            self._wake(self.sleepers[place], "interrupted")

    def deadlines(self) -> list[float]:
        """How many seconds from now each sleeper sleeps at most, in order of size."""
        return sorted(sleeper[0] - Steered.now for sleeper in tuple(self.sleepers))

    def _wake(self, sleeper: list, how: str) -> None:
        self.sleepers.remove(sleeper)
        sleeper[2] = how
        sleeper[1].release()


def steered(impl: SimpleNamespace) -> SimpleNamespace:
    """The modules with a condition and a clock that a check steers."""
    Steered.now = 1000.0
    for module in vars(impl).values():
        for name, stand_in in ("Condition", Steered), ("monotonic", lambda: Steered.now):
            if hasattr(module, name):
                setattr(module, name, stand_in)
    return impl
