"""The theorems about the operators of a module's heap, under the names of its prefix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from proofs.heap.conditions import Heap
from proofs.heap.planted import Planted, Source
from proofs.kernel import VC, Theory
from proofs.protocols.theory import LateVC

LOOP = ("places", "elements", "order")
ASSUMED = ("A-DIV", "A-INDUCTION")


def late(make: Callable[[], list[VC]], *names: str) -> list[LateVC]:
    """Conditions by name, of which none is made before it is used."""

    def one(name: str) -> VC:
        (found,) = [each for each in make() if each.name == name]
        return found

    return [LateVC(name, partial(one, name)) for name in names]


def operators(
    theory: Theory, heap: Heap, of: str, faults: Sequence[Planted], source: Source, *more: str
) -> None:
    """Up, Down, and what puts an element in and takes the first one out.

    ``of``: what they order. A fault is a control of the theorem about its operator, which
    ``source`` has. ``more``: further conditions of what takes an element out.
    """

    assumed = (*ASSUMED, *(("A-PYTHON",) if more else ()))

    def submit(name: str, says: str, vcs: list[LateVC], rests_on: tuple[str, ...]) -> None:
        theory.theorem(
            f"{heap.prefix}.{name}",
            says,
            vcs,
            [each.control(heap, source) for each in faults if each.operator == name],
            rests_on=rests_on,
            assumes=assumed,
            profile="nightly",
        )

    for name, wrong in (
        ("Up", "below that of its parent"),
        ("Down", "above those of its children"),
    ):
        submit(
            name,
            f"{name} of a sequence {of} has the same elements, each as often, whatever the keys. "
            f"It is a heap, if the sequence is one but for the key at the place, which may be "
            f"{wrong}.",
            late(partial(heap.loop, name), *(f"{name}: {each}" for each in LOOP)),
            ("Heap.Swap",),
        )
    submit(
        heap.offer,
        f"{heap.offer} of a sequence {of} has one element more, which is the new one, whatever the "
        "keys. Of a heap it is a heap.",
        late(heap.offers, "elements", "order"),
        (f"{heap.prefix}.Up", "Heap.Append"),
    )
    submit(
        heap.poll,
        f"{heap.poll} of a sequence {of} lacks the first element once and no other, whatever the "
        "keys. Of a heap it is a heap.",
        late(heap.polls, *LOOP, *more),
        (f"{heap.prefix}.Down", "Heap.Rest"),
    )
