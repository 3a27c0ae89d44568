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

    def condition(name: str) -> VC:
        (vc,) = [vc for vc in make() if vc.name == name]
        return vc

    return [LateVC(name, partial(condition, name)) for name in names]


def operators(
    theory: Theory, heap: Heap, origin: str, faults: Sequence[Planted], source: Source | None
) -> None:
    """Up, Down, and the operators that put an element in and take the first one out.

    ``origin``: where they are from. A fault is a control of the theorem about its operator, which
    ``source`` has. Without a source they are lemmas.
    """

    def submit(name: str, says: str, vcs: list[LateVC], rests_on: tuple[str, ...]) -> None:
        theory.theorem(
            heap.title(name),
            f"{heap.shown(name)} of {origin} {says}",
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
            late(partial(heap.loop, name), *(f"{name}: {part}" for part in heap.LOOP)),
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
