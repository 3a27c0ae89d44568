"""How ``impl/timing_wheel.py`` presents a bucket to the delay queue, run on symbols.

How long a bucket waits, and where it stands among others. The queue's own code is proved in
``proofs/heap``.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from impl import timing_wheel
from proofs.arith import code
from wheelproof.prove.arithmetic import Arithmetic, Claim, Mutant, Number, Step, both, implies, when
from wheelproof.prove.symbolic import run_on


def waiting(delay: Any) -> Any:
    """The delay of a bucket with a key, at a time. ``delay``: its method."""

    def run(key: Any, now: Any) -> Any:
        expiration = SimpleNamespace(get=lambda: key)
        return delay(SimpleNamespace(expiration=expiration, clock=standing(now)))

    return run


def standing(now: Any) -> SimpleNamespace:
    """A clock that stands."""
    return SimpleNamespace(hi_res_clock_ms=lambda: now)


def comparing(compare: Any) -> Any:
    """How a bucket with one key compares to a bucket with another. ``compare``: its method."""

    def run(first: Any, second: Any) -> Any:
        item, two = (
            SimpleNamespace(expiration=SimpleNamespace(get=lambda key=key: key))
            for key in (first, second)
        )
        return compare(item, two)

    return run


def as_delay_says(delay: Any, k: Number, now: Number) -> Claim:
    waits = run_on(waiting(delay), k, now)
    return both(implies(k > now, waits == k - now), implies(k <= now, waits == 0))


def as_order_says(compare: Any, k: Number, m: Number) -> Claim:
    return run_on(comparing(compare), k, m) == when(k > m, 1, when(k < m, -1, 0))


def theory(bucket: Any) -> Arithmetic:
    """The theorems about a class with the methods of ``Bucket``."""
    arithmetic = Arithmetic("arith.queue_code", mechanism="timing_wheel", after=(code.THEORY,))
    arithmetic.prove(
        "code-get_delay",
        "Bucket.get_delay is what is left until its key, and 0 from then on",
        lambda k, now: {},
        lambda k, now: as_delay_says(bucket.get_delay, k, now),
        [Step("claim")],
        [
            Mutant(
                "modulo",
                "the key is taken modulo 2^31: every bucket is due after 24.8 days",
                claim=lambda k, now: as_delay_says(
                    lambda item: max(
                        item.expiration.get() % 2**31 - item.clock.hi_res_clock_ms(), 0
                    ),
                    k,
                    now,
                ),
            ),
            Mutant(
                "capped",
                "no bucket waits for more than 2^31 - 1 milliseconds",
                claim=lambda k, now: as_delay_says(
                    lambda item: min(
                        max(item.expiration.get() - item.clock.hi_res_clock_ms(), 0), 2**31 - 1
                    ),
                    k,
                    now,
                ),
            ),
        ],
        vivid={"now": 7},
        assumes=("A-PYTHON",),
    )
    arithmetic.prove(
        "code-compare_to",
        "Bucket.compare_to is the order of the keys",
        lambda k, m: {},
        lambda k, m: as_order_says(bucket.compare_to, k, m),
        [Step("claim")],
        [
            Mutant(
                "difference",
                "the difference of the keys, which is no sign",
                claim=lambda k, m: as_order_says(
                    lambda item, two: item.expiration.get() - two.expiration.get(), k, m
                ),
            )
        ],
        vivid={"k": 7},
        assumes=("A-PYTHON",),
    )
    return arithmetic


THEORY = theory(timing_wheel.Bucket)
