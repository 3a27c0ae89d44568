"""Atomic modules: an operation of a lower mechanism is one step of the mechanism above it.

A harness's ``ATOMIC`` names modules whose labels are dropped, except those that it keeps. Accesses
in such a module belong to the labelled line outside of it that made the call. So do accesses in a
callback, on a line without a label. Locks that are taken there exclude no thread. The lower
mechanism's own refinement shows that an operation may be taken for one step; this module does not.

A function of an atomic module that has steps of its own can hold a lock over them. For these locks
the harness has ``WAITS``, labels of operations, and ``waits(label, locals)``, the lock that such an
operation needs. They exclude: an operation can begin only when its lock is free. An operation that
meets a held lock breaks a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping
from types import CodeType, FrameType, FunctionType, ModuleType

from wheelproof.python.findings import ExploreError
from wheelproof.python.labels import LOCK_KINDS, Labels
from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.fields import classes_of
from wheelproof.python.runtime.primitives import Due, Held
from wheelproof.python.runtime.threads import Admits, Site, Thread

Waits = tuple[Collection[str], Callable[[str, Mapping[str, object]], Held | None]]
"""A harness's ``WAITS`` and ``waits``."""


class _Place:
    """A position in the code."""

    __slots__ = ("access", "inside", "keeps", "ours", "several", "site")

    def __init__(
        self,
        access: Site,
        ours: bool,
        inside: bool,
        keeps: bool,
        site: Site | None,
        several: bool,
    ) -> None:
        self.access, self.ours, self.inside = access, ours, inside
        """``access``: an access here that belongs to the step under way. ``ours``: whether the
        code is in the implementation. ``inside``: whether the code is in an atomic module."""
        self.keeps, self.site, self.several = keeps, site, several
        """``site``: the step that its line's label names, or None. ``keeps``: whether the code
        is there in a function that has steps of its own."""


class AtomicModules:
    """Assigns each access in an atomic module to the step that it belongs to."""

    def __init__(
        self,
        scheduler: Scheduler,
        files: Collection[str],
        codes: Collection[CodeType],
        waits: Waits | None = None,
    ) -> None:
        """Reads no code yet.

        ``files``: the files of the atomic modules. ``codes``: code of other files that is atomic
        too. ``waits``: the harness's ``WAITS`` and ``waits``, or None where it has none.
        """
        self._waits = waits
        self._scheduler, self._files = scheduler, frozenset(files)
        self._ids = {id(code) for code in codes}
        self._places: dict[tuple[int, int], _Place] = {}
        # Places are keyed by id(code): this list keeps the ids from being used again.
        self._codes: list[CodeType] = list(codes)

    def take(
        self, thread: Thread, frame: FrameType, kind: str, volatile: bool, awaits: Admits | None
    ) -> bool | Site:
        """Handle a shared access by ``frame``; False for an ordinary access.

        An access is ordinary on a line with a label of its own, and in a module that is not atomic.

        The access itself is returned for a lock that is held over steps, which excludes as it does
        elsewhere.

        The thread is stopped in front of the innermost labelled line around it, once for each call
        from that line.
        """
        place = self._place(frame)
        if place.site is not None or not (place.inside or self._called_back(frame)):
            return False
        if place.access.function == "__init__":
            # An object under construction is not published yet.
            self._scheduler.pass_by(thread, place.access)
            return True
        inner, keeps, outer = frame, place.keeps, frame.f_back
        hit: tuple[_Place, Site, FrameType] | None = None
        while outer is not None:
            around = self._place(outer)
            if around.ours:
                if around.site is not None:
                    hit = around, around.site, outer
                    break
                if not around.inside and not keeps and not self._called_back(outer):
                    self._scheduler.fail(
                        f"{around.access.where}: {around.access.function} calls an operation of an "
                        "atomic module "
                        f"({kind} at {place.access.where}) "
                        "without a label; label the line, as the step in the specification"
                    )
                keeps = keeps or around.keeps
                inner = outer
            outer = outer.f_back
        if hit is None:
            if thread.site is None and (volatile or kind != "read") and kind not in LOCK_KINDS:
                self._scheduler.fail(
                    f"{place.access.where}: {kind} in {place.access.function}, an atomic module's, "
                    "before any "
                    "step is under way; "
                    "keep a label in front of it, or label the line that calls"
                )
            self._scheduler.pass_by(thread, place.access)
        elif any(call is inner for call in thread.calls):
            self._scheduler.pass_by(thread, place.access)
        else:
            outer_place, site, caller = hit
            if outer_place.several:
                self._scheduler.fail(
                    f"{outer_place.access.where}: an operation of an atomic module on a "
                    "line with two labels; call it on a line of its own"
                )
            self._begin(thread, site, inner, caller, awaits)
        return (
            place.access if self._waits is not None and place.keeps and kind in LOCK_KINDS else True
        )

    def _called_back(self, frame: FrameType) -> bool:
        """Whether an operation that is one step has called the code of ``frame``.

        A queue calls the comparison of its elements so.
        """
        outer = frame.f_back
        while outer is not None:
            around = self._place(outer)
            if around.ours and (around.inside or around.site is not None):
                return around.inside and not around.keeps
            outer = outer.f_back
        return False

    def _begin(
        self, thread: Thread, site: Site, inner: FrameType, outer: FrameType, awaits: Admits | None
    ) -> None:
        """Begin the step of a labelled line, at the first access of a call from it.

        A plain read on the line may have begun the step before.
        """
        lasti = outer.f_lasti
        if (
            outer is thread.frame
            and lasti > thread.lasti
            and thread.label == site.label
            and not thread.performed
        ):
            thread.lasti = lasti
        else:
            assert site.label is not None
            self._scheduler.used.add((site.file, site.label, site.kind))
            self._scheduler.pause(
                thread,
                site,
                awaits if isinstance(awaits, Due) else self._prediction(site.label, outer),
                outer,
                lasti,
            )
        thread.performed = True
        calls = thread.calls
        if calls:
            # those that are still under way further out
            chain: list[FrameType] = []
            back: FrameType | None = outer
            while back is not None:
                chain.append(back)
                back = back.f_back
            calls = tuple([call for call in calls if any(call is back for back in chain)])
        thread.calls = (*calls, inner)

    def _prediction(self, label: str, frame: FrameType) -> Free | None:
        """The lock that must be free before a step can begin, if it needs one held over steps."""
        if self._waits is None or label not in self._waits[0]:
            return None
        return Free(self._scheduler, self._waits[1], label, frame)

    def _place(self, frame: FrameType) -> _Place:
        key = (id(frame.f_code), frame.f_lasti)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = self._look(frame)
            self._codes.append(frame.f_code)
        return place

    def _look(self, frame: FrameType) -> _Place:
        scheduler, code, line = self._scheduler, frame.f_code, frame.f_lineno
        lines = scheduler.files.get(code.co_filename)
        name = scheduler.shown.get(code.co_filename, code.co_filename)
        access = Site(None, "", False, name, line, code.co_name)
        if lines is None:
            return _Place(access, False, False, False, None, False)
        inside = code.co_filename in self._files or id(code) in self._ids
        site = None
        for kind, label in lines.get(line, {}).items():
            site = Site(label, kind, True, name, line, code.co_name)
        return _Place(
            access,
            True,
            inside,
            inside and not lines.keys().isdisjoint(_lines(code)),
            site,
            len(lines.get(line, ())) > 1,
        )


class Free:
    """Admits a thread to an operation when the lock that it needs is free, or the thread's own.

    The operation is one step, the lock is held over steps. The test makes no step.
    """

    __slots__ = ("_frame", "_label", "_scheduler", "_waits")

    def __init__(
        self,
        scheduler: Scheduler,
        waits: Callable[[str, Mapping[str, object]], Held | None],
        label: str,
        frame: FrameType,
    ) -> None:
        self._scheduler, self._waits, self._label, self._frame = scheduler, waits, label, frame

    def admits(self, thread: Thread) -> bool:
        """Whether the lock, which the harness names from the objects of now, can be had."""
        scheduler = self._scheduler
        running, scheduler.running = scheduler.running, None
        try:
            lock = self._waits(self._label, self._frame.f_locals)
        finally:
            scheduler.running = running
        return lock is None or lock.owner is None or lock.owner is thread


def declare(
    labels_to_keep: object,
    mechanism: str,
    ours: Collection[str],
    modules: Mapping[str, ModuleType],
    labels: MutableMapping[str, Labels],
    scheduler: Scheduler,
    waits: Waits | None = None,
) -> AtomicModules | None:
    """Read a harness's ``ATOMIC`` and drop the labels that it does not keep.

    ``labels`` (file as the scheduler shows it -> lines) is changed in place. ``ours``: the modules
    whose steps are the mechanism's.

    A class of a mutant or of the harness that derives from a class of an atomic module is atomic
    too, with the same kept labels. A class of ``ours`` is not, nor are classes that derive from it.

    Raises :class:`ExploreError` for a module that is not loaded, a kept label that does not exist,
    or one half of a lock and its unlock.
    """
    if not labels_to_keep:
        return None
    where = f"harness/{mechanism}.py: ATOMIC"
    if not isinstance(labels_to_keep, Mapping) or not all(
        isinstance(names, (tuple, list, frozenset)) for names in labels_to_keep.values()
    ):
        raise ExploreError(
            f"{where} is no mapping of modules to labels.",
            "Write ATOMIC = {'impl.some_module': ('F2',), 'impl.another': ()}.",
        )
    files: dict[str, str] = {}
    for name, names in labels_to_keep.items():
        module = modules.get(name)
        file = getattr(module, "__file__", None)
        if file not in scheduler.files:
            raise ExploreError(
                f"{where} names {name}, which is no loaded module of the implementation.",
                "Name a module that SUBJECT's modules import, as 'impl.some_module'.",
            )
        files[name] = file
        lines = labels[scheduler.shown[file]]
        all_labels = {label for kinds in lines.values() for label in kinds.values()}
        if unknown := sorted(set(names) - all_labels):
            raise ExploreError(
                f"{where} keeps {', '.join(unknown)}, which {name} does not have.",
                f"Its labels are {', '.join(sorted(all_labels)) or 'none'}.",
            )
        _drop(lines, names, lines, scheduler.shown[file], where)
    codes: list[CodeType] = []
    for module in modules.values():
        file = getattr(module, "__file__", None)
        if file not in scheduler.files or file in files.values():
            continue
        for cls in classes_of(module):
            base = next(
                (
                    base.__module__
                    for base in cls.__mro__
                    if base.__module__ in files or base.__module__ in ours
                ),
                None,
            )
            if base in files:
                own_codes = [
                    code for function in _functions(cls) for code in _codes(function.__code__)
                ]
                codes += own_codes
                display = scheduler.shown[file]
                _drop(
                    labels[display],
                    labels_to_keep[base],
                    {line for code in own_codes for line in _lines(code)},
                    display,
                    where,
                )
    return AtomicModules(scheduler, files.values(), codes, waits)


def _drop(
    lines: Labels, labels: Collection[str], among: Collection[int], name: str, where: str
) -> None:
    for line in [line for line in lines if line in among]:
        kinds = lines[line]
        rest = {kind: label for kind, label in kinds.items() if label in labels}
        if len(rest) == 1 < len(kinds):
            raise ExploreError(
                f"{where} keeps one of {', '.join(kinds.values())}, at {name}:{line}.",
                "Keep both labels of the line, or none.",
            )
        if rest:
            lines[line] = rest
        else:
            del lines[line]


def _functions(cls: type) -> Iterator[FunctionType]:
    for value in vars(cls).values():
        parts = (
            (value.fget, value.fset, value.fdel)
            if isinstance(value, property)
            else (getattr(value, "__func__", value),)
        )
        yield from (part for part in parts if isinstance(part, FunctionType))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of the functions nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _lines(code: CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line is not None}
