"""Fields of the implementation that a harness does not read: a wrong value there is never compared.

After a bisimulation each slot that has had two values is given another value, in some of the states
in which it has changed, and the harness is called again. Where all its results stay the same, it
does not read the slot. Slots that no scenario changes are constants and are not judged.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from wheelproof.python.search.run import Run
    from wheelproof.python.search.search import Search
    from wheelproof.python.state.canonical import Piece

STATES = 3
"""States in which a slot is tried for each value that it has had there."""

VALUES = 6
"""Values that a slot has had, and values that it is given in a state, up to which they count."""

LINES = 100_000
"""Lines that the harness may run: a ring that is broken on purpose need not end."""

_TOOL = "wheelproof."
_NO_VALUE = object()


class Fields(NamedTuple):
    """The fields that a harness reads."""

    changed: frozenset[str]
    """The slots that have had two values, as ``Class.slot``.

    A part of a lock or of another primitive of the runtime is ``Class.slot.part``.
    """
    unread: Mapping[str, str]
    """The changed slots that the harness does not read in some object, with the place of one.

    A place is a path from the objects that ``Harness.names`` gives.
    """


def fields_read(search: Search) -> Fields:
    """Judge the harness of a search that has ended with the outcome ``equal``."""
    tries = _tries(search)
    pending, names = set(tries), {}
    slots: dict[str, _Slot] = {}
    of_node: dict[int, list[str]] = {}
    for path, nodes in tries.items():
        for node in nodes:
            of_node.setdefault(node, []).append(path)
    for node, paths in sorted(of_node.items()):
        if here := [path for path in paths if path in pending or path not in names]:
            run = search.implementation.begin(search.scenario, intern=search.intern)
            before = {path: slot.copy() for path, slot in _slots(run).items()}
            run.replay(search.way(node))
            run.fingerprint()
            slots = _slots(run)
            view = run.shared()
            for path in here:
                names[path] = _name(path, slots)
                if path in pending and _decides(run, path, slots, before, view):
                    pending.remove(path)
            run.end()
    pending -= _functional_paths(search, tries, pending, slots)
    return Fields(frozenset(names.values()), {names[path]: path for path in sorted(pending)})


def _functional_paths(
    search: Search, tries: Mapping[str, list[int]], pending: set[str], slots: Mapping[str, _Slot]
) -> set[str]:
    """Parts of the runtime's primitives that follow from parts which the harness reads.

    An example: how often a lock is held that is not re-entrant.
    """
    paths = set()
    for path in pending:
        if path in slots and type(slots[path].instance).__module__.startswith(_TOOL):
            read = [
                name
                for name, slot in slots.items()
                if slot.instance is slots[path].instance and name in tries and name not in pending
            ]
            if read and _function(search, read, path):
                paths.add(path)
    return paths


def _function(search: Search, read: list[str], path: str) -> bool:
    """Whether, in all states, the slot has one value for each combination of the others'."""
    run = search.implementation.begin(search.scenario, intern=search.intern)
    places = [
        run.paths.index(other_path) for other_path in (*read, path) if other_path in run.paths
    ]
    parts = [
        run.parts(piece)[0] for piece, number in search.intern.items() if number in search.shared
    ]
    run.end()
    if len(places) <= len(read):
        return False  # a part of an object that a thread has created
    values_by_input: dict[Piece, object] = {}
    for values in ([part[place] for place in places] for part in parts):
        *inputs, value = values
        if values_by_input.setdefault(tuple(inputs), value) != value:
            return False
    return True


def _tries(search: Search) -> dict[str, list[int]]:
    """Path of each slot that has changed -> states in which it is not as it was at first."""
    node_of: dict[int, int] = {}
    for node, (part, *_) in enumerate(search.fingerprints):
        node_of.setdefault(part, node)
    pieces = {number: piece for piece, number in search.intern.items() if number in node_of}
    run = search.implementation.begin(search.scenario, intern=search.intern)
    heads: list[Piece] = []
    objects: dict[str, list[tuple[int, list[object]]]] = {}
    parts = sorted(pieces, key=node_of.__getitem__)
    for part in parts:
        head, more = run.parts(pieces[part])
        heads.append(head)
        for name, *values in more:
            objects.setdefault(str(name), []).append((node_of[part], values))
    nodes = [node_of[part] for part in parts]
    sample = {}
    for path, column in zip(run.paths, zip(*heads, strict=True), strict=True):
        if column.count(column[0]) < len(column):
            sample[path] = _sample(column, nodes)
    run.end()
    for name, states in objects.items():
        for place, column in enumerate(zip(*[values for _, values in states])):
            if column.count(column[0]) < len(column):
                sample[f"{name}.#{place}"] = _sample(column, [node for node, _ in states])
    return sample


def _sample(column: Piece, nodes: list[int]) -> list[int]:
    """States in which a slot has another value than in the first one, some for each value."""
    of_value: dict[object, list[int]] = {}
    for value, node in zip(column, nodes, strict=True):
        if value != column[0] and (value in of_value or len(of_value) < VALUES):
            nodes_of_value = of_value.setdefault(value, [])
            if len(nodes_of_value) < STATES:
                nodes_of_value.append(node)
    return [node for nodes_of_value in of_value.values() for node in nodes_of_value]


class _Slot(NamedTuple):
    """A slot of an object."""

    instance: object
    member: Any
    """Its descriptor, which has no common type."""

    def get(self) -> object:
        try:
            return self.member.__get__(self.instance)
        except AttributeError:
            return _NO_VALUE

    def set(self, value: object) -> None:
        if value is _NO_VALUE:
            self.member.__delete__(self.instance)
        else:
            self.member.__set__(self.instance, value)

    def copy(self) -> object:
        """The value, kept from changes in place."""
        value = self.get()
        return value.copy() if isinstance(value, (list, dict, set, deque)) else value


def _slots(run: Run) -> dict[str, _Slot]:
    return {path: _Slot(instance, _member(get)) for path, get, instance in run.slots()}


def _member(get: Any) -> Any:
    """The descriptor of a slot, from its bound ``__get__``."""
    return get.__self__


def _decides(
    run: Run,
    path: str,
    slots: Mapping[str, _Slot],
    before: Mapping[str, object],
    view: Mapping[str, object],
) -> bool:
    """Whether the harness answers otherwise where the slot has another value."""
    slot = slots[path]
    now = slot.get()
    if now is _NO_VALUE:
        return False
    try:
        for value in _alternatives(path, slots, before, now):
            slot.set(value)
            if _answer(run) != view:
                return True
    finally:
        slot.set(now)
    return False


def _alternatives(
    path: str, slots: Mapping[str, _Slot], before: Mapping[str, object], now: object
) -> Iterator[object]:
    """Other values for a slot.

    Its value at the beginning, None for an object that a thread has created, and values that the
    same slot of other objects has.
    """
    first = before.get(path)  # None for an object that is made later
    if first is not _NO_VALUE:
        yield first
    slot_here, ids = slots[path], {id(now), id(first)}
    for slot in slots.values():
        value = slot.get()
        if slot.member is slot_here.member and value is not _NO_VALUE and id(value) not in ids:
            ids.add(id(value))
            yield value
            if len(ids) > VALUES:
                return


def _answer(run: Run) -> object:
    """The harness's view now; an exception, and a loop without an end, are answers too."""
    lines = 0

    def count(frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        nonlocal lines
        lines += 1
        if lines > LINES:
            raise _Endless
        return count

    tracer = sys.gettrace()
    sys.settrace(count)
    try:
        return run.shared()
    except Exception as error:
        return error
    finally:
        sys.settrace(tracer)


class _Endless(Exception):
    pass


def _name(path: str, slots: Mapping[str, _Slot]) -> str:
    """``Class.slot`` of a path.

    A part of a primitive of the runtime is named by the slot that holds the primitive, or its role.
    """
    owner, slot = path.rpartition(".")[0], slots[path]
    kind, declaring, name = type(slot.instance), slot.member.__objclass__, slot.member.__name__
    if not kind.__module__.startswith(_TOOL):
        origin = kind if declaring.__module__.startswith(_TOOL) else declaring
        return f"{origin.__name__}.{name}"
    while owner not in slots and owner.endswith("]"):
        owner = owner[: owner.rindex("[")]
    if owner in slots:
        return f"{_name(owner, slots)}.{name}"
    return f"{kind.__name__ if owner.startswith('new ') else owner}.{name}"
