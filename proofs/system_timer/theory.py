"""P10 and P11, for all buckets of a timer with one reaper; T17 brings in the arithmetic."""

from __future__ import annotations

from proofs.arith import order
from proofs.system_timer.faults import EVERYTHING, FAULTS, view_of
from proofs.system_timer.system import Buckets
from wheelproof.prove.kernel import Theory
from wheelproof.prove.ts.theory import submit

OF_MODULE = ("A-POWER", "A-PROGRAM", "A-ONCE", "A-REACH")
"""The assumptions on the module, besides the theorem of ``system_timer_module``."""

THEORY = Theory("protocols.system_timer", mechanism="system_timer", after=(order.THEORY,))

submit(
    THEORY,
    Buckets,
    EVERYTHING,
    FAULTS.values(),
    view_of,
    ("A-HEAP", "A-REAPER", "A-LISTS", *OF_MODULE),
    lemma="Inv.Buckets",
    rests_on={"Inv.Buckets": ("T17-insert", "T17-key", "T17-clock"), "P10": ("T17-insert",)},
    certified="nightly",
)
