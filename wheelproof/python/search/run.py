"""A controlled implementation, and one run of a scenario on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from greenlet import getcurrent

from wheelproof.choices import Choice, Move, choice_in, thread_of
from wheelproof.loading import NO_TEXTS
from wheelproof.protocols import Program, Scenario, Values, programs
from wheelproof.python.findings import ExploreError
from wheelproof.python.labels import Labels
from wheelproof.python.runtime import store_buffer
from wheelproof.python.runtime.fields import volatile_marks
from wheelproof.python.runtime.lock_order import LockOrder
from wheelproof.python.runtime.race import RaceDetector
from wheelproof.python.runtime.threads import Thread
from wheelproof.python.search.created import Created
from wheelproof.python.search.loading import Controlled
from wheelproof.python.state.canonical import Piece
from wheelproof.python.state.fingerprint import Names
from wheelproof.python.style import arithmetic, finalizers


def threads_of(scenario: Scenario) -> list[str]:
    """The names of a scenario's threads, in its order."""
    return list(programs(scenario))


class ControlledImplementation:
    """An implementation, loaded a second time under control, with its harness.

    One run at a time: :meth:`begin` ends the run before it. Implementations are independent of each
    other and of the production modules.
    """

    def __init__(self, modules: Controlled) -> None:
        self._loaded = modules
        self.root, self.mechanism = modules.root, modules.name
        self.scheduler = modules.scheduler
        self._run: Run | None = None

    @classmethod
    def load(
        cls,
        root: Path | str,
        mechanism: str,
        *,
        texts: Mapping[str, str] = NO_TEXTS,
        lint: bool = True,
        atomicity: str = "ATOMIC",
    ) -> ControlledImplementation:
        """Load a mechanism, by its name, of the project in ``root``.

        ``texts``: module name -> source to load in the place of its file.
        ``lint``: refuse sources that break the style rules. ``atomicity``: the harness's table of
        atomic modules that counts.

        Raises :class:`~wheelproof.errors.UsageError`: a file or a name is missing, a
        label cannot be read (``LabelError``), the style is broken (``StyleError``).
        """
        return cls(Controlled(Path(root).resolve(), mechanism, texts, lint, atomicity))

    @property
    def labels(self) -> dict[str, Labels]:
        """File, relative to the root -> line -> {kind: label}: as the sources declare."""
        return self._loaded.labels

    @property
    def computations(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """File, relative to the root -> function -> its expressions with numbers."""
        return {
            file: arithmetic.computations(text, file)
            for file, text in sorted(self._loaded.texts.items())
        }

    @property
    def named(self) -> dict[str, Labels]:
        """The labels that are steps of the mechanism's own model, at any atomicity."""
        return self._loaded.named

    @property
    def modules_without_subject(self) -> list[str]:
        """The implementation's modules with labels that neither SUBJECT nor ATOMIC has."""
        harness = self._loaded.harness_module
        names = {*harness.SUBJECT, *(getattr(harness, "ATOMIC", None) or {})}
        modules = [
            file.removesuffix(".py").replace("/", ".")
            for file, labels in self.labels.items()
            if labels
        ]
        return [name for name in modules if name.startswith("impl.") and name not in names]

    @property
    def marks(self) -> dict[str, bool]:
        """The marked fields of all classes, "Class.field" -> whether it is volatile."""
        return volatile_marks(self._loaded.modules.values())

    @property
    def exercised(self) -> frozenset[tuple[str, str, str]]:
        """The ``(file, label, kind)`` that threads have waited at, in all runs so far."""
        return frozenset(self.scheduler.used)

    @property
    def order(self) -> LockOrder:
        """The order in which threads have taken locks, in all runs so far."""
        return self.scheduler.order

    def branches(self) -> tuple[frozenset[str], frozenset[str]]:
        """(declared, met): outcomes of conditions, and functions, of SUBJECT and HELPERS."""
        harness = self._loaded.harness_module
        modules = (*harness.SUBJECT, *getattr(harness, "HELPERS", ()))
        if unknown := [name for name in modules if name not in self._loaded.modules]:
            raise ExploreError(
                f"harness/{self.mechanism}.py: HELPERS names {', '.join(unknown)}, "
                "which is not loaded.",
                "Name a module that SUBJECT's modules import, as 'impl.some_module'.",
            )
        prefixes = tuple(f"{name}: " for name in modules)
        outcomes, outcomes_met = self._loaded.branches.declared, self._loaded.branches.collect()
        return (
            frozenset(outcome for outcome in outcomes if outcome.startswith(prefixes)),
            frozenset(outcome for outcome in outcomes_met if outcome.startswith(prefixes)),
        )

    @property
    def not_run(self) -> Mapping[str, str]:
        """The harness's NOT_RUN: code that no scenario reaches -> why."""
        return getattr(self._loaded.harness_module, "NOT_RUN", {})

    @property
    def unread(self) -> Mapping[str, str]:
        """The harness's UNREAD: slots that change and that ``shared`` does not read -> why."""
        return getattr(self._loaded.harness_module, "UNREAD", {})

    @property
    def halfway(self) -> Mapping[str, str]:
        """The harness's HALFWAY: variables that show the locks of an operation -> why."""
        return getattr(self._loaded.harness_module, "HALFWAY", {})

    def check_definitions(self) -> None:
        """Raise ExploreError if a definition of the implementation has changed since loading."""
        self._loaded.definitions.check()

    def begin(
        self,
        scenario: Scenario,
        *,
        race: RaceDetector | None = None,
        coarse: bool = False,
        intern: dict[Piece, int] | None = None,
        draw: Callable[[int], int] | None = None,
    ) -> Run:
        """Set the scenario up and run every thread to its first step.

        ``race``: a detector that follows the run. ``coarse``: plain fields do not yield.
        ``intern``: table that numbers the parts of fingerprints; give the same one to runs whose
        fingerprints are to be compared. ``draw``: chooses one of so many values, where no plan
        does; None: the first. Raises :class:`~wheelproof.python.findings.StepError` if a
        thread ends in a finding before its first step.
        """
        if self._run is not None:
            self._run.end()
        self._run = None
        run = Run(self._loaded, scenario, race, coarse, {} if intern is None else intern)
        self._run = run
        self.scheduler.alternatives.draw = draw
        run._start()
        return run


class Run:
    """One run: ``threads`` in the scenario's order, ``harness`` with the objects, and steps."""

    def __init__(
        self,
        modules: Controlled,
        scenario: Scenario,
        race: RaceDetector | None,
        coarse: bool,
        intern: dict[Piece, int],
    ) -> None:
        self._loaded, self._scheduler, self.scenario = modules, modules.scheduler, scenario
        self._race, self._coarse, self._intern = race, coarse, intern
        threads = scenario.get("threads")
        if not isinstance(threads, Mapping) or not threads:
            raise ExploreError(
                "The scenario has no threads.",
                "Give it threads = {name = [[operation, arguments...], ...]}.",
            )
        self._scheduler.end()
        objects = self._scheduler.created = Created()
        self._scheduler.time = self._scheduler.interrupts = None
        self._scheduler.order.begin(scenario)
        self.harness = modules.set_up(scenario)
        self._scheduler.order.harness = self.harness
        works = programs(scenario)
        self.threads: list[Thread] = [Thread(name, index) for index, name in enumerate(works)]
        self._bodies = [self._program(thread, works[thread.name]) for thread in self.threads]
        roots = getattr(self.harness, "names", None)
        if not isinstance(roots, Mapping):
            raise ExploreError(
                f"harness/{modules.name}.py: Harness has no names.",
                "Set self.names to {role: object} for the objects of the scenario.",
            )
        where = f"harness/{modules.name}.py"
        finalizers.refuse_dropped(objects.finalized, roots.values(), where)
        self._names = Names(
            self.harness,
            dict(roots),
            self.threads,
            modules.files,
            objects.objects,
            modules.stacks,
            modules.positions,
            modules.own.names,
            modules.definitions.known,
        )
        for part in (self._scheduler.time, self._scheduler.interrupts):
            if part is not None and not self._names.knows(part):
                kind = type(part).__name__
                name = kind.lower()
                raise ExploreError(
                    f"harness/{modules.name}.py: Harness.names does not reach the scenario's "
                    f"{kind}, "
                    "which would be no part of the state.",
                    f"Add it to names: {{'{name}': self.{name}, ...}}.",
                )
        self._scheduler.alternatives.name_roots(dict(roots))
        self._pieces = [0] * len(self.threads)
        self._moved: set[int] = set()
        self._surface = _surface(vars(self.harness))
        self.ended = False

    def _program(self, thread: Thread, program: Program) -> Callable[[Thread], None]:
        operations = []
        for name, *arguments in program:
            operation = str(name)
            method = getattr(self.harness, operation, None)
            if not callable(method) or operation.startswith("_"):
                raise ExploreError(
                    f"Thread {thread.name}: harness/{self._loaded.name}.py has no operation "
                    f"{operation!r}.",
                    f"Add a method {operation} to Harness, or correct the scenario.",
                )
            operations.append((method, arguments))

        def body(thread: Thread) -> None:
            while thread.position < len(operations):
                method, arguments = operations[thread.position]
                thread.position += 1
                thread.results.append(method(*arguments))

        return body

    def _start(self) -> None:
        scheduler = self._scheduler
        scheduler.hub = getcurrent()
        scheduler.threads, scheduler.coarse = self.threads, self._coarse
        scheduler.race = store_buffer.ordering(
            scheduler, self._loaded.delayed, self._race, f"harness/{self._loaded.name}.py"
        )
        if self._race is not None:
            self._race.begin(self.threads)
        for thread, body in zip(self.threads, self._bodies, strict=True):
            scheduler.start(thread, body)
            self._moved.add(thread.index)

    def step(self, move: Move, strict: bool = True) -> None:
        """Let a thread, that of index ``move``, perform the operation that it waits at.

        It must be enabled. A move with a choice is the first choice of the step; if not
        ``strict``, where it can. Raises :class:`~wheelproof.python.findings.StepError`; the run is
        over then.
        """
        index = thread_of(move)
        thread = self.threads[index]
        self._scheduler.alternatives.begin(choice_in(move), strict)
        thread.results.clear()
        if self._race is not None:
            self._race.steps += 1
        self._scheduler.step(thread)
        self._moved.add(index)

    @property
    def choice(self) -> Choice:
        """The choice of the last :meth:`step`."""
        return self._scheduler.alternatives.taken

    @property
    def sole(self) -> Choice:
        """The values that the last :meth:`step` had to choose, as there were no others."""
        return self._scheduler.alternatives.sole

    @property
    def beside(self) -> Sequence[Choice]:
        """How other choices of the last :meth:`step` begin; its own is left out."""
        return self._scheduler.alternatives.beside

    def results(self, move: Move) -> tuple[object, ...]:
        """The results of the operations that the thread's last :meth:`step` ended, in order."""
        return tuple(self.threads[thread_of(move)].results)

    def replay(self, schedule: Sequence[Move]) -> None:
        """Take many steps at once; nothing is compared on the way. Raises as :meth:`step`."""
        threads, indices = self.threads, list(map(thread_of, schedule))
        self._scheduler.alternatives.begin([text for move in schedule for text in choice_in(move)])
        self._scheduler.replay([threads[i] for i in indices])
        self._moved.update(indices)

    def enabled(self) -> dict[int, str]:
        """Thread index -> label, of the threads that can take a step now."""
        return {thread.index: thread.label for thread in self.threads if thread.enabled}

    @property
    def done(self) -> bool:
        """Whether every thread has ended."""
        return all(thread.label == "Done" for thread in self.threads)

    @property
    def labels(self) -> list[str]:
        """The label that each thread waits at; ``Done`` for one that has ended."""
        return [thread.label for thread in self.threads]

    def source(self, index: int) -> str | None:
        """``file:line`` of the step that the thread takes next."""
        return self.threads[index].source

    def shared(self) -> Mapping[str, Values]:
        """The model's view of the objects, by the harness."""
        return self._loaded.shared(self.harness)

    @property
    def paths(self) -> list[str]:
        """The places of the slots that are there from the beginning, as in the fingerprint."""
        return self._names.paths

    def slots(self) -> Iterator[tuple[str, Callable[[object], object], object]]:
        """(place, function that reads it, object) of every slot.

        Created objects are known after :meth:`fingerprint`.
        """
        return self._names.slots()

    def parts(self, piece: Piece) -> tuple[Piece, tuple[Piece, ...]]:
        """Split the first part of a fingerprint into fixed and created parts.

        The values of the slots that are there from the beginning, and the created objects.
        """
        return self._names.parts(piece)

    def fingerprint(self) -> tuple[int, ...]:
        """The state as numbers of the intern table: (shared, thread 0, thread 1, ...).

        Raises :class:`~wheelproof.python.findings.Unnamed` for a value without a name.
        """
        names, intern, pieces = self._names, self._intern, self._pieces
        names.note_created()
        piece_shared = names.shared()
        again = []
        for i in sorted(self._moved):
            piece = names.thread(self.threads[i])
            pieces[i] = intern.setdefault(piece, len(intern))
            if names.by_identity:
                again.append(i)
        self._moved.clear()
        self._moved.update(again)
        return (intern.setdefault(piece_shared, len(intern)), *pieces)

    def end(self) -> None:
        """End the threads. Raises :class:`ExploreError` if the Harness object has changed."""
        if self.ended:
            return
        self.ended = True
        self._scheduler.end()
        self._loaded.count_run()
        if _surface(vars(self.harness)) != self._surface:
            raise ExploreError(
                f"harness/{self._loaded.name}.py: an operation changed an attribute of "
                "Harness, which no fingerprint sees.",
                "Keep state in objects with __slots__ that Harness.names reaches.",
            )


def _surface(value: object) -> object:
    """The contents of a Harness, by identity: equal after a run that did not change it."""
    if isinstance(value, dict):
        return tuple([(key, _surface(inner)) for key, inner in value.items()])
    if isinstance(value, (list, tuple, set, frozenset)):
        return tuple([_surface(inner) for inner in value])
    return id(value)
