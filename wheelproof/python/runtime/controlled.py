"""The controlled scheduler: one thread at a time, one labelled operation per step.

Threads are greenlets. Every operation of the controlled primitives and fields calls
:meth:`Scheduler.point` first; where the operation's source line bears a label, the thread stops
there until it is chosen, so that *a thread waits in front of the operation that it names*. A line
is one step: the thread stops at the line's first shared access, since a stop between two accesses
of one line would leave a stale value on the stack, where no fingerprint sees it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, NoReturn

from greenlet import getcurrent, greenlet

from wheelproof.python import labels
from wheelproof.python.findings import Crashed, RuleBroken, StepError, Stuck
from wheelproof.python.runtime.alternatives import Alternatives
from wheelproof.python.runtime.lock_order import LockOrder
from wheelproof.python.runtime.threads import (
    DONE,
    Abort,
    Admits,
    Buffers,
    Clock,
    Interrupted,
    InterruptSource,
    Observer,
    Site,
    Thread,
)

if TYPE_CHECKING:
    from wheelproof.python.runtime.atomic import AtomicModules
    from wheelproof.python.search.created import Created

MAX_SILENT_ACCESSES = 20_000
"""Shared accesses within one step from which on a thread counts as stuck in a loop."""

_PARTS = frozenset({"read", "choose"})
"""Kinds of operation that may prepare the one that a label names."""

_FIELD_OPERATIONS = frozenset({"write", "update", "swap", "cas"}) | _PARTS
_getframe = sys._getframe
_exc_info = sys.exc_info


class Scheduler:
    """Runs one thread at a time and stops it at its next labelled operation."""

    def __init__(self) -> None:
        self.running: Thread | None = None
        """None while nothing of the scenario runs (set-up, reading the state, ending threads).

        Then every access passes.
        """
        self.hub = getcurrent()
        self.files: dict[str, labels.Labels] = {}
        self.shown: dict[str, str] = {}
        self.race: Observer | None = None
        self.atomic: AtomicModules | None = None
        """The atomic modules of the implementation."""
        self.created: Created | None = None
        """The objects that the present run's threads have made."""
        self.memory: Buffers | None = None
        """The buffers of delayed stores."""
        self.time: Clock | None = None
        """The clock of the present run."""
        self.interrupts: InterruptSource | None = None
        """The source of interrupts of the present run."""
        self.order = LockOrder(self)
        """The order in which locks are taken."""
        self.alternatives = Alternatives()
        """The choices of steps."""
        self.coarse = False
        """Whether accesses of plain fields do not stop (a race detector is to watch them)."""
        self.used: set[tuple[str, str, str]] = set()
        """The ``(file, label, kind)`` that have been met so far."""
        self.switches = 0
        """Steps begun so far, for the watchdog."""
        self.threads: Sequence[Thread] = ()
        self._sites: dict[tuple[int, int, str], Site] = {}
        # Sites are keyed by id(code): this list keeps the ids from being used again.
        self._codes: list[CodeType] = []
        self._finding: tuple[type[StepError], str] | None = None
        self._plan: list[Thread] | None = None
        self._silent = 0
        self._abandoned: list[greenlet] = []

    # -- called by the implementation's operations

    def point(self, kind: str, volatile: bool, awaits: Admits | None = None) -> Site | None:
        """Called before each shared operation: stop the thread if a labelled step begins here.

        The caller's caller must be the implementation's frame. ``volatile``: the operation must be
        labelled. ``awaits``: a primitive whose ``admits(thread)`` is whether the operation can
        be performed. Returns None where nothing runs, and for an access within an atomic operation:
        the primitive then excludes no thread.
        """
        thread = self.running
        if thread is None:
            return None
        frame = _getframe(2)
        lasti = frame.f_lasti
        site = self._sites.get((id(frame.f_code), lasti, kind))
        if site is None:  # always so within an atomic operation
            if self.atomic is not None and (
                choice := self.atomic.take(thread, frame, kind, volatile, awaits)
            ):
                return None if choice is True else choice
            site = self._resolve(frame, kind, volatile)
        label = site.label
        if label is None or (self.coarse and not volatile):
            self._silent += 1
            if self._silent > MAX_SILENT_ACCESSES:
                self._fail_silent(thread, site)
            return site
        # A while test is compiled twice, the second copy further on in the code: once the operation
        # is performed, the same line is a new step.
        if (
            frame is thread.frame
            and lasti > thread.lasti
            and thread.label == label
            and not (site.exact and thread.performed)
        ):
            thread.lasti = lasti
        else:
            # The body of pause, written out: the call would cost a tenth of a replay.
            if not thread.performed and thread.site is not None:
                self._check_performed(thread, thread.site)
            (
                thread.label,
                thread.awaits,
                thread.frame,
                thread.lasti,
                thread.site,
                thread.performed,
            ) = label, awaits, frame, lasti, site, False
            thread.handled = _exc_info()[1]
            self._silent = 0
            plan = self._plan
            if plan:
                following = plan.pop()
                if following is not thread:
                    self.running = following
                    assert following.greenlet is not None
                    following.greenlet.switch()
            else:
                self.hub.switch()
            self.switches += 1
        if site.exact:
            thread.performed = True
        return site

    def pause(
        self, thread: Thread, site: Site, awaits: Admits | None, frame: FrameType, lasti: int
    ) -> None:
        """Stop the running thread in front of the step of ``site`` until it is chosen."""
        assert site.label is not None
        if not thread.performed and thread.site is not None:
            self._check_performed(thread, thread.site)
        thread.label, thread.awaits, thread.frame, thread.lasti, thread.site, thread.performed = (
            site.label,
            awaits,
            frame,
            lasti,
            site,
            False,
        )
        thread.handled = _exc_info()[1]
        self._silent = 0
        plan = self._plan
        if plan:
            following = plan.pop()
            if following is not thread:
                self.running = following
                assert following.greenlet is not None
                following.greenlet.switch()
        else:
            self.hub.switch()
        self.switches += 1

    def pass_by(self, thread: Thread, site: Site) -> None:
        """An access that belongs to the step that is under way."""
        self._silent += 1
        if self._silent > MAX_SILENT_ACCESSES:
            self._fail_silent(thread, site)

    def _fail_silent(self, thread: Thread, site: Site) -> None:
        self.fail(
            f"{thread.name} made {MAX_SILENT_ACCESSES} accesses without a labelled step, the last "
            f"one at {site.where}; "
            "label the access that the loop waits for",
            Stuck,
        )

    def fail(self, message: str, error: type[StepError] = RuleBroken) -> NoReturn:
        """Stop the running thread here and for good.

        Raising an exception instead would run the code's ``with`` and ``finally`` blocks, whose
        operations would then show as some other difference.
        """
        self._finding = (error, message)
        self._plan = None
        self.hub.switch()
        raise Abort

    def note_unwinding(self, error: BaseException) -> None:
        """An exception is leaving a monitor's block: the steps that follow are its consequence."""
        if self.running is not None and self.running.unwinding is None:
            self.running.unwinding = error

    # -- threads

    def start(self, thread: Thread, body: Callable[[Thread], None]) -> None:
        """Create the thread's greenlet; run it to its first operation. Raises as :meth:`step`."""

        def run() -> None:
            try:
                body(thread)
                if not thread.performed and thread.site is not None:
                    self._check_performed(thread, thread.site)
            except Abort:
                pass
            except (Exception, Interrupted) as error:
                thread.error = error
            thread.label, thread.awaits, thread.frame, thread.site, thread.calls = (
                DONE,
                None,
                None,
                None,
                (),
            )
            thread.handled = None
            self._silent = 0

        thread.greenlet = greenlet(run, self.hub)
        self._switch(thread)

    def step(self, thread: Thread) -> None:
        """Let the thread perform its operation and run on to the next one.

        Raises :class:`RuleBroken`, :class:`Stuck` or :class:`Crashed`; the thread must not be
        stepped again then.
        """
        self._switch(thread)

    def replay(self, schedule: Sequence[Thread]) -> None:
        """Take many steps without giving back control: several times as fast as :meth:`step`.

        ``schedule``: the threads in order. Nothing is compared on the way; compare the state that
        it ends in.
        """
        if not schedule:
            return
        plan = list(reversed(schedule))
        self._plan = plan
        while plan and self._finding is None:
            self._switch(plan.pop())
        self._plan = None

    def end(self) -> None:
        """End all threads of the present run. A thread that was found stuck is never resumed."""
        self.running = None
        for thread in self.threads:
            if (
                thread.greenlet is not None
                and not thread.greenlet.dead
                and thread.greenlet not in self._abandoned
            ):
                thread.greenlet.throw(Abort)
            thread.frame, thread.calls = None, ()
        self.threads = ()

    def stop_stuck(self, message: str) -> NoReturn:
        """For the watchdog, on top of the running thread: stop that thread for good."""
        thread = self.running
        assert thread is not None and thread.greenlet is not None
        self._abandoned.append(thread.greenlet)
        self.fail(message, Stuck)

    def place_of(self, frame: FrameType | None) -> str:
        """``file:line`` of the innermost frame of the implementation, from ``frame`` outwards."""
        while frame is not None:
            file = frame.f_code.co_filename
            if file in self.files:
                return f"{self.shown.get(file, file)}:{frame.f_lineno}"
            frame = frame.f_back
        return "an unknown line"

    def _switch(self, thread: Thread) -> None:
        assert thread.greenlet is not None
        self.running = thread
        thread.greenlet.switch()
        last, self.running = self.running or thread, None
        if self._finding is not None:
            (error, message), self._finding = self._finding, None
            raise error(last.name, message)
        if last.error is not None:
            raise Crashed(last.name, last.error, self._raised_at(last.error))

    # -- sites

    def _check_performed(self, thread: Thread, site: Site) -> None:
        error = sys.exc_info()[1]
        if error is not None:
            # The operation raised: that is the finding, once the exception is out.
            self.note_unwinding(error)
            return
        self.fail(
            f"{site.where}: the step {thread.label} ended without its operation "
            f"({site.kind}); "
            "put the label on the line that performs it, with the kind that it is"
        )

    def _resolve(self, frame: FrameType, kind: str, volatile: bool) -> Site:
        """Find an operation's label by its line; stop the thread if the line breaks a rule."""
        code = frame.f_code
        file, line = code.co_filename, frame.f_lineno
        lines = self.files.get(file)
        display = self.shown.get(file, Path(file).name)
        where = f"{display}:{line}"
        if lines is None:
            self.fail(
                f"{where}: {kind} from outside the implementation, in {code.co_name}; "
                "let the harness or the implementation do it"
            )
        kinds = lines.get(line, {})
        label, exact, kind_name = kinds.get(kind), True, kind
        if label is None and kind in _FIELD_OPERATIONS:
            kind_name, label = next(
                ((k, name) for k, name in kinds.items() if k in labels.STEP_KINDS), (kind, None)
            )
            exact = label is None
            if label is not None and (volatile or kind not in _PARTS):
                self.fail(
                    f"{where}: a {'volatile ' if volatile else ''}{kind} on the line of "
                    f"'{kind_name} {label}'; "
                    "one operation per line, and its label has the operation's kind"
                )
        if label is None and kind == "choose" and kinds:
            self.fail(
                f"{where}: a choice on the line of '{' '.join(next(iter(kinds.items())))}'; choose "
                "on a line of its own, whose label has the kind choose"
            )
        # An object under construction is not published yet.
        if label is None and code.co_name != "__init__":
            if volatile:
                self.fail(
                    f"{where}: {kind} without a label in {code.co_name}; label the line '# {kind} "
                    "<Name>', as the step in the specification"
                )
            if kind == "write":
                self.fail(
                    f"{where}: a plain write without a label in {code.co_name}; label the line '# "
                    "write <Name>'"
                )
        self._codes.append(code)
        if label is not None:
            self.used.add((display, label, kind_name))
        site = self._sites[id(code), frame.f_lasti, kind] = Site(
            label, kind_name, exact, display, line, code.co_name
        )
        return site

    def _raised_at(self, error: BaseException) -> str:
        place, trace = "an unknown line", error.__traceback__
        while trace is not None:
            file = trace.tb_frame.f_code.co_filename
            if file in self.files:
                place = f"{self.shown.get(file, file)}:{trace.tb_lineno}"
            trace = trace.tb_next
        return place
