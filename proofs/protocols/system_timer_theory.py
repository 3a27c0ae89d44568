"""P10 and P11, for any bucket of a timer with one reaper."""
from __future__ import annotations

from proofs.kernel import Theory
from proofs.protocols.system_timer import Bucket
from proofs.protocols.system_timer_faults import EVERYTHING, FAULTS, view_of
from proofs.protocols.theory import submit

THEORY = Theory("protocols.system_timer", mechanism="system_timer")

submit(THEORY, Bucket, EVERYTHING, FAULTS.values(), view_of, ("A-WINDOW",), lemma="Inv.Bucket")
