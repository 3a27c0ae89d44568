"""A binary heap of buckets, ordered by their keys of now, as a tuple."""

from __future__ import annotations

from model.pluscal import Function


def offered(heap: tuple[int, ...], bucket: int, key: Function[int]) -> tuple[int, ...]:
    """A binary heap with one more bucket, ordered by the keys of now."""
    out = [*heap, bucket]
    index = len(out) - 1
    while index > 0:
        above = (index - 1) // 2
        if key[out[index]] >= key[out[above]]:
            break
        out[index], out[above] = out[above], out[index]
        index = above
    return tuple(out)


def polled(heap: tuple[int, ...], key: Function[int]) -> tuple[int, ...]:
    """A binary heap without its first bucket."""
    if len(heap) == 1:
        return ()
    out = [heap[-1], *heap[1:-1]]
    index = 0
    while (below := 2 * index + 1) < len(out):
        if below + 1 < len(out) and key[out[below]] > key[out[below + 1]]:
            below += 1
        if key[out[index]] <= key[out[below]]:
            break
        out[index], out[below] = out[below], out[index]
        index = below
    return tuple(out)
