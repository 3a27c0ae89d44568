"""A deadlock in words, and the circle of its threads as lines of text."""

from wheelproof.counterexample.document import Counterexample
from wheelproof.counterexample.glyphs import UNICODE, Glyphs
from wheelproof.counterexample.holding import Hold, circle, holds
from wheelproof.counterexample.places import plain
from wheelproof.counterexample.wait_graph import sleeps


def waiting(trace: Counterexample) -> list[str]:
    """The places that each thread waits for at a deadlock, and its locals."""
    sentences = []
    for wait in trace.waits:
        where = f" ({wait.source})" if wait.source else ""
        places = " and ".join(wait.places) or "more than one variable"
        by = f", held by {' and '.join(wait.holders)}" if wait.holders else ""
        waits = f"waits at {wait.label}{where} for {places}{by}"
        if not wait.places and sleeps(trace, wait.thread):
            waits = f"sleeps at {wait.label}{where}, and no notification is left for it"
        own_places = [hold.place for hold in holds(trace) if _open(trace, hold, wait.thread)]
        has = f"; it holds {' and '.join(own_places)}" if own_places else ""
        sentences.append(f"{wait.thread} {waits}{has}.")
        if wait.locals:
            values = ", ".join(f"{name} = {plain(text)}" for name, text in wait.locals.items())
            sentences.append(f"Locals of {wait.thread}: {values}.")
    return sentences


def drawn_circle(trace: Counterexample, glyphs: Glyphs = UNICODE) -> list[str]:
    """The circle of the threads that wait for each other, as a picture; [] if there is none."""
    ring = circle(trace)
    if not ring:
        return []
    first, side, last, _ = glyphs.loop
    lines = ["They wait in a circle:", f"  {first}{glyphs.arrow} {ring[0]}"]
    pad = " " * len(glyphs.arrow)
    for place, thread in zip(ring[1:-2:2], ring[2:-1:2], strict=True):
        lines += [f"  {side}{pad} {glyphs.down} waits for {place}, held by"]
        lines += [f"  {side}{pad} {thread}"]
    return [*lines, f"  {last}{glyphs.back} waits for {ring[-2]}, held by"]


def _open(trace: Counterexample, hold: Hold, thread: str) -> bool:
    return hold.thread == thread and hold.last == len(trace.steps) - 1
