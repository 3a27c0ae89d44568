"""An exploration of a program: warm-up, search to the end, and the shortest counterexample.

Only accesses that race are scheduling points. Which ones do is found by the happens-before detector
in the runs themselves: a new race makes both its places visible, and the search begins anew. When
it ends without a new race, all orders of the invisible accesses agree, so the search is complete.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wheelproof.plain import races
from wheelproof.plain.answers import Answer, Exploration, FailureKind
from wheelproof.plain.counterparts import Counterparts
from wheelproof.plain.execution import Execution
from wheelproof.plain.guards import Guards
from wheelproof.plain.instrument import outside
from wheelproof.plain.instrument.foreign import MOST_TOUCHED
from wheelproof.plain.operations import Ending
from wheelproof.plain.reading import Found, Judge, Recorder
from wheelproof.plain.schedulers.base import Scheduler
from wheelproof.plain.schedulers.deepening import Deepening
from wheelproof.plain.schedulers.pct import PCT
from wheelproof.plain.schedulers.pos import POS
from wheelproof.plain.schedulers.replay import Repeat
from wheelproof.plain.schedulers.source_dpor import SourceDPOR
from wheelproof.plain.schedulers.uniform import Uniform
from wheelproof.plain.shortening import LOST, counterexample, recorded
from wheelproof.plain.state import MOST
from wheelproof.plain.world import World

WARM_UP = 24
"""Random runs before the search: they find most racy places, and most bugs."""

EXECUTIONS = 100_000
"""Runs of an exploration, at most, unless the caller says otherwise."""

ALONE, BESIDE = 200, 3
"""After so many runs of a search without a bound, each third one goes by the preemptions: a search
in depth comes late to the first races of a large program."""

CHECKED, DOUBTED = 100, 16
"""Runs before the second comparison of all that outlives a run, each further one after twice as
many; runs between two of them where foreign code is called."""

REPEATED = 8
"""Repetitions of a run that must go as it went, before a search counts as complete."""

COLLECTED = 500
"""Runs between two collections of garbage: none happens within a run."""

SEARCHES = 16
"""Searches between two collections of their garbage: each goes through all of the process."""

_BEGUN = itertools.count(1)

DIFFERS = (
    "a run that was to be repeated ran differently: the program depends on something beside its "
    "threads"
)
CUTS = 20
"""Runs that had to be ended after which a search is given up."""

REMEDY = "name its module with `into`"
COMPILED = "it is compiled: use a version in Python, or a fake"
UNKNOWN_CAUSE = ", as random numbers or the order of a set"


class Explorer:
    """Explores one program. ``seed``: of the warm-up. ``progress`` is called after each run.
    ``ends``: whether a limit beside that of runs ends the search, of which a failure is kept.

    Without a ``function``, ``program`` is set to one of the world before the first run.
    ``observe`` is called with the execution at each run's end, before its threads are ended and
    its state is put back.
    """

    def __init__(
        self,
        function: Callable[[], object] | None,
        into: Sequence[str] = (),
        bound: int | None = None,
        executions: int = EXECUTIONS,
        seed: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.function, self.into = function, tuple(into)
        self.bound, self.most, self.seed = bound, executions, seed
        self.progress = progress
        self.execution = Execution()
        self.world = World(self.execution, self.into)
        if function is not None:
            self.program = Counterparts(self.world)(function)
        self.restarts = 0
        self.doubtful, self._due = False, 1
        self.judge = Judge()
        self.observe: Callable[[Execution], None] | None = None
        self.ends: Callable[[], bool] = lambda: False
        self.found: Found | None = None
        self.failing: tuple[list[int], FailureKind] | None = None
        self.early: Recorder | None = None
        self.trouble: tuple[Answer, str] | None = None
        self.whole: tuple[list[int], int] | None = None
        self.reports_races = False
        self._count: int | None = None

    # -- one run

    def run(self, scheduler: Scheduler) -> Ending:
        """Run the program once, and put its state back. Raises KeyboardInterrupt."""
        execution = self.execution
        if self.world.draws:
            self.world.seed()
        ending = execution.run(self.program, scheduler)
        order = execution.order
        self._fails(self.judge(execution), order)
        if self.observe is not None:
            self.observe(execution)
        execution.end_threads()
        if ending is Ending.DONE:
            self.whole = list(execution.order), execution.accesses
        in_doubt = self.doubtful and (self.failing is not None or ending is Ending.DIFFERENT)
        has_surprise = self.restore(in_doubt)
        if execution.was_interrupted():
            raise KeyboardInterrupt
        if in_doubt and has_surprise:  # an earlier run has left its marks
            self.failing = self.found = None
        elif ending is Ending.DIFFERENT:
            self.differs()
        if execution.fault is not None and self.trouble is None:
            self.trouble = Answer.UNSEEN, str(execution.fault)
        if self.progress is not None:
            self.progress(execution.executions, self.racy_count())
        self._fails(self.judge.settle(), order)
        return ending

    def _fails(self, failure: Found | None, order: list[int]) -> None:
        """A run in this order has failed, if there is a failure."""
        if failure is not None and self.failing is None:
            self.failing = list(failure.order or order), failure.kind
            self.found = self.found or failure

    def differs(self, text: str = DIFFERS) -> None:
        """The same schedule ran differently."""
        cause = self.execution.cause
        reason = f"{text}: {cause}" if cause else text + UNKNOWN_CAUSE * (text is DIFFERS)
        self.trouble = Answer.NONDETERMINISTIC, reason

    def restore(self, in_doubt: bool = False) -> bool:
        """Put the state back. Whether a change is seen that nothing has announced.

        Then the search begins anew, and such a change is put back after each run. ``in_doubt``: an
        earlier run may have left one.
        """
        execution, state = self.execution, self.world.state
        state.restore(execution.locations, execution.set_up or ())
        self.doubtful = self.doubtful or execution.foreign_called
        due = in_doubt or execution.number >= self._due
        doubtful = execution.foreign_called and execution.number % DOUBTED == 0
        has_surprise = (due or doubtful) and self.compare()
        if execution.executions % COLLECTED == 0:
            gc.collect()
            state.restore_all()  # finalizers have run
        return has_surprise

    def compare(self) -> bool:
        """Look at all that outlives a run. Whether a change is seen that nothing has announced."""
        self._due = max(CHECKED, 2 * self.execution.number)
        self.doubtful = False
        has_surprise = self.world.state.compare()
        self.execution.grown = self.execution.grown or has_surprise
        return has_surprise

    def grew(self) -> bool:
        """Make the racy places visible. Whether there were any."""
        execution = self.execution
        hidden_sites = {site for site in execution.racing if not site.visible}
        for site in hidden_sites:
            site.visible = True
        if self._count is not None:
            self._count += len(hidden_sites)
        new = execution.grown or bool(hidden_sites)
        if execution.grow():
            for site in self.world.sites:
                site.type = None
        if execution.grown:
            self.world.renew()
            self._count = None
        if new:
            self.whole = None  # its order lacks the new places
        execution.racing, execution.grown = [], False
        return new

    def again(self) -> bool:
        """As ``grew``. A failure is looked for again: its run shows none of the new places."""
        execution = self.execution
        if self.failing is not None and (execution.racing or execution.grown):
            self.early = recorded(self, self.failing[0])
            if self.early is None:
                self.differs(LOST)
        return self.failing is None and self.grew()

    def racy(self) -> list[Any]:
        return [site for site in self.world.sites if site.visible]

    def racy_count(self) -> int:
        if self._count is None:
            self._count = len(self.racy())
        return self._count

    def renew(self, executions: int) -> None:
        """Forget the runs of one program: another one is searched, with so many runs at most.

        Racy places stay visible.
        """
        self.found, self.failing, self.early = None, None, None
        self.trouble, self.whole, self.restarts = None, None, 0
        self.execution.shared, self.execution.set_up = False, None
        self.most = self.execution.executions + executions

    def is_out_of_time(self) -> bool:
        """Whether a limit has been reached."""
        return self.remaining <= 0 or self.execution.abandoned.full or self.ends()

    @property
    def remaining(self) -> int:
        return self.most - self.execution.executions

    # -- the search

    def explore(self) -> Exploration:
        with self.ready():
            return self.explored()

    @contextlib.contextmanager
    def ready(self) -> Iterator[None]:
        """While programs run: the guards stand, and garbage is collected between runs alone."""
        collects = gc.isenabled()
        if next(_BEGUN) % SEARCHES == 0:
            gc.collect()
        gc.freeze()
        gc.disable()
        try:
            with Guards(self.execution), self.world.around():
                yield
        finally:
            gc.unfreeze()
            if collects:
                gc.enable()

    def explored(self, explains: bool = True) -> Exploration:
        """Search. ``explains``: a failure is looked for with the fewest preemptions, and shown."""
        start = time.process_time()
        failure, schedule, pairs = None, None, None
        answer, reason = self._search()
        if self.failing is not None and not explains:
            answer, reason = Answer.BUG, self.found.message if self.found else ""
        elif self.failing is not None:
            failure, schedule = counterexample(self)
        if failure is None and self.early is not None and self.trouble is None:
            failure, schedule = self.early.failure(False, None), self.early.schedule()
        if self.reports_races and (failure is not None or self.trouble is None):
            pairs = races.look(self)
        if failure is not None:
            answer, reason = Answer.BUG, failure.message
        elif self.trouble is not None:
            answer, reason = self.trouble
        for name, error in self.world.twice.items():  # whatever else is found
            failure, schedule, answer = None, None, Answer.UNSEEN
            reason = (
                f"{name} cannot be loaded a second time ({error}), and other modules of its "
                "package are: its classes exist twice"
            )
        execution = self.execution
        return Exploration(
            answer=answer,
            executions=execution.executions,
            racy_places=tuple(site.place for site in self.racy()),
            failure=failure,
            bound=self.bound if answer is Answer.BOUNDED else None,
            reason=reason,
            schedule=schedule,
            restarts=self.restarts,
            points=execution.all_points,
            accesses=execution.all_accesses,
            seconds=time.process_time() - start,
            races=None if pairs is None else pairs.sorted,
            unpaired=() if pairs is None else pairs.unpaired(self.racy()),
            abandoned=tuple(execution.abandoned.places),
        )

    def _over(self) -> bool:
        return self.failing is not None or self.trouble is not None or self.is_out_of_time()

    def _search(self) -> tuple[Answer, str]:
        draw = random.Random(self.seed)
        samplers = (Uniform(draw), PCT(draw), POS(draw))
        for number in range(WARM_UP):
            if self._over():
                break
            self.run(samplers[number % 3])
            self.again()
        complete = -1
        while not self._over():
            deepening = Deepening(self.bound)
            scheduler: Any = SourceDPOR() if self.bound is None else deepening
            has_restarted = False
            runs = cuts = 0
            while not scheduler.over and not self._over():
                runs += 1
                if scheduler is deepening or runs < ALONE or runs % BESIDE or deepening.over:
                    cuts += self.run(scheduler) is Ending.CUT
                else:
                    self.run(deepening)
                if self.again():
                    has_restarted = True
                    self.restarts += 1
                    break
                if cuts >= CUTS:
                    break
            complete = -1 if has_restarted else deepening.complete
            if scheduler.over and not has_restarted and not self._over() and self._repeats():
                return self._conclusion(cuts > 0, deepening.refused and scheduler is deepening)
            if cuts >= CUTS:
                return self._conclusion(True, False)
        if self.trouble is not None:
            return self.trouble
        execution = self.execution
        why = " with too many abandoned threads" if execution.abandoned.full else ""
        if complete >= 0:
            why += f"; every order with at most {complete} preemptions was run"
        return Answer.BUDGET, f"the search was ended after {execution.executions} runs{why}"

    def _repeats(self) -> bool:
        """Whether a run goes the same way each time. One that does not ends the search."""
        if self.whole is None:
            return True
        expectation, executions = self.whole, self.execution.executions
        for _ in range(REPEATED):
            self.run(Repeat(expectation[0]))
            if self.failing is not None or self.trouble is not None:
                return False
            if self.whole != expectation:
                if not (self.doubtful and self.compare()):
                    self.differs()
                return False
        self.execution.executions = executions
        long = self.execution.number > CHECKED
        return not ((self.doubtful or long) and self.compare())

    def _conclusion(self, cut: bool, has_refusal: bool) -> tuple[Answer, str]:
        execution = self.execution
        if self.world.state.full:
            return Answer.UNSEEN, (
                f"the modules hold more than {MOST:,} objects: they cannot be put back after a run"
            )
        if execution.unseen:
            code, place = next(iter(execution.unseen))
            why = self.world.why_refused(code)
            remedy = outside.REMEDIES.get(code, COMPILED if code in execution.compiled else REMEDY)
            if why:
                remedy = f"it could not be loaded again ({why})"
            touched = "touched an object that another thread uses"
            if code in execution.far:
                touched = f"reaches more than {MOST_TOUCHED:,} objects beside other threads"
            return Answer.UNSEEN, f"{place}: {code} is not looked into, and {touched}: {remedy}"
        if cut:
            return Answer.BUDGET, (
                f"some runs were ended: after {execution.most_points:,} operations, "
                f"{execution.most_accesses:,} accesses, or seconds without any"
            )
        if not execution.shared:
            return Answer.VACUOUS, "no object is used by two threads"
        if has_refusal:
            return Answer.BOUNDED, f"every order with at most {self.bound} preemptions"
        return Answer.EXHAUSTED, "every order of the racy accesses and of the locks"


def explore_program(
    function: Callable[[], object],
    *,
    into: Sequence[str] = (),
    bound: int | None = None,
    executions: int = EXECUTIONS,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Exploration:
    """Explore the orders in which the threads of a function can run.

    ``into``: modules or packages that are looked into beside those of the function and its imports.
    ``bound``: search orders with at most so many preemptions. ``executions``: the most runs.
    """
    return Explorer(function, into, bound, executions, seed, progress).explore()
