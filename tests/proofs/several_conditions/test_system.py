"""P9.Conditions: an operation of several conditions misses no event, and faults that break that.

The specification has one condition for each operation, so that no model is compared with it.
"""

from __future__ import annotations

import pytest

from proofs.several_conditions.faults import FAULTS, TWO
from proofs.several_conditions.system import Watching
from proofs.several_conditions.theory import THEORY
from tests.proofs.checks import needed, refuted
from wheelproof.prove.ts.witness import Witnesses


@pytest.mark.nightly
@pytest.mark.parametrize("name", THEORY.theorems)
def test_a_theorem_is_proved_with_its_controls(name):
    """With one seed: `make verify` proves each with more, but for those of its nightly profile."""
    evidence = THEORY.check(name, seeds=1)
    assert evidence.verdict == "proved", evidence.why
    assert (
        evidence.second == {"unsat"}
        and not evidence.unused
        and set(evidence.links) == set(THEORY.theorems[name].rests_on)
    )
    assert set(evidence.witnesses) == {control.name for control in THEORY.theorems[name].controls}


def test_what_is_proved():
    assert list(THEORY.theorems) == ["Inv.Conditions", "P9.Conditions"]


def test_no_conjunct_can_go():
    for name, formula in Watching.conjuncts().items():
        assert needed(Watching(), name) != bool(formula.kept), name


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_breaks_the_invariant_and_has_a_trace_that_the_right_system_lacks(name):
    fault = FAULTS[name]
    assert refuted(fault).startswith("step/") and fault.searched.trace
    right = type(fault)(fault.name, fault.says, Watching, fault.scope, fault.formula).searched
    assert right.trace is None and right.states > 50


def test_every_state_that_a_run_reaches_keeps_the_invariant():
    """The proof's terms on finite states with two keys: the conditions of all sizes, at one."""
    found = Witnesses(Watching(), TWO)
    assert not found.missing
    waiting = [found.start]
    seen = {found.start}
    while waiting and len(seen) < 3_000:
        state = waiting.pop()
        assert not found.instance.broken(state, list(found.instance.formulas)), (
            found.instance.named(state)
        )
        for move in found.instance.moves(state):
            if move.after not in seen:
                seen.add(move.after)
                waiting.append(move.after)
    assert len(seen) > 1_000
