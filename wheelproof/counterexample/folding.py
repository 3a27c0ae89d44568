"""Folds the repetitions in a long run: a spinning thread fills a page with the same few steps.

Only steps that are equal in everything, changes included, are folded, so that nothing is lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from wheelproof.counterexample.document import Step

_LONGEST_PERIOD = 50
_LEAST_HIDDEN = 4  # steps; hiding fewer saves no room


@dataclass(frozen=True)
class Fold:
    """`times` repetitions of the `period` steps before index `first`, left out."""

    first: int
    period: int
    times: int


def folded(steps: Sequence[Step], loop: int | None = None) -> list[int | Fold]:
    """The indices of the steps to show and the folds between them, in order; they cover every step.

    The last step and the one to which a lasso returns (`loop`) are always shown.
    """
    items: list[int | Fold] = []
    end = len(steps) - 1  # the last step is never hidden
    index = 0
    while index < len(steps):
        fold = _fold_at(steps, index, loop if loop is not None and loop > index else end, end)
        if fold is None:
            items.append(index)
            index += 1
        else:
            items += range(index, fold.first)
            items.append(fold)
            index = fold.first + fold.period * fold.times
    return items


def _fold_at(steps: Sequence[Step], start: int, barrier: int, end: int) -> Fold | None:
    """The fold that hides the most, of blocks that begin at `start` and end before the barrier."""
    limit = min(barrier, end)
    best: Fold | None = None
    for period in range(1, min(_LONGEST_PERIOD, (limit - start) // 2) + 1):
        position = start + period
        while position < limit and steps[position] == steps[position - period]:
            position += 1
        times = (position - start - period) // period
        length = times * period
        if (
            length >= _LEAST_HIDDEN
            and times >= 2
            and (best is None or length > best.period * best.times)
        ):
            best = Fold(start + period, period, times)
    return best
