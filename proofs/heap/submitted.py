"""The theorems about the operators of a module's heap, under the names of its prefix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from proofs.heap.conditions import Heap
from proofs.heap.planted import Planted, Source
from wheelproof.prove.kernel import VC, Theory
from wheelproof.prove.late import LateVC


def late(make: Callable[[], list[VC]], *names: str) -> list[LateVC]:
    """Conditions by name, of which none is made before it is used."""

    def one(name: str) -> VC:
        (found,) = [each for each in make() if each.name == name]
        return found

    return [LateVC(name, partial(one, name)) for name in names]


def operators(
    theory: Theory, heap: Heap, of: str, faults: Sequence[Planted], source: Source | None
) -> None:
    """Up, Down, and what puts an element in and takes the first one out.

    ``of``: where they are from. A fault is a control of the theorem about its operator, which
    ``source`` has. Without a source they are lemmas.
    """

    def submit(name: str, says: str, vcs: list[LateVC], rests_on: tuple[str, ...]) -> None:
        theory.theorem(
            heap.title(name),
            f"{heap.shown(name)} of {of} {says}",
            vcs,
            [fault.control(heap, source) for fault in faults if source and fault.operator == name],
            rests_on=rests_on,
            assumes=heap.ASSUMES,
            is_lemma=source is None,
            profile="nightly",
        )

    for name, wrong in (
        ("Up", "below that of its parent"),
        ("Down", "above those of its children"),
    ):
        submit(
            name,
            "leaves each element as often as it is there, whatever the keys. It makes a heap of a "
            f"sequence that is one but for the key at the given place, which may be {wrong}.",
            late(partial(heap.loop, name), *(f"{name}: {each}" for each in heap.LOOP)),
            ("Heap.Swap",),
        )
    submit(
        heap.offer,
        "adds the new element once and leaves each other as often as it is there, whatever the "
        "keys. It makes a heap of a heap.",
        late(heap.offers, *heap.OFFER),
        (heap.title("Up"), "Heap.Append"),
    )
    submit(
        heap.poll,
        "takes the first element out once and leaves each other as often as it is there, whatever "
        f"the keys. It makes a heap of a heap.{heap.MORE}",
        late(heap.polls, *heap.POLL),
        (heap.title("Down"), "Heap.Rest"),
    )
