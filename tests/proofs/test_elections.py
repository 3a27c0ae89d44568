"""The elections on symbols: their formulas, changed functions, and what cannot be read."""

from __future__ import annotations

import inspect
from itertools import chain, combinations

import pytest
import z3

from impl import partition_leader
from proofs.elections import code, theory
from wheelproof.prove import solvers
from wheelproof.prove.kernel import ProofError

FORMULAS = {kind: (own, formula) for kind, own, formula, _, _ in theory.CODE}


def proved(formula: z3.BoolRef) -> bool:
    """Whether a formula holds where MEMBER is a member of the ISR."""
    text = solvers.smt_lib([*theory.MEMBERSHIP.values(), z3.Not(formula)])
    verdict, _ = solvers.model(text)
    assert verdict in ("sat", "unsat")
    return verdict == "unsat"


def changed(kind, old, new):
    """The election of a kind with one text of the module changed."""
    source = inspect.getsource(partition_leader)
    own = FORMULAS[kind][0].__name__
    start = source.index(f"def {own}(")
    end = source.find("\n\n\n", start)
    body = source[start:end]
    assert body.count(old) == 1, (old, body.count(old))
    namespace = dict(vars(partition_leader))
    exec("from __future__ import annotations\n" + body.replace(old, new), namespace)
    return namespace[own]


@pytest.mark.parametrize("kind", FORMULAS)
def test_an_election_of_the_code_has_its_formula(kind):
    own, formula = FORMULAS[kind]
    assert proved(formula(own))


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("offline", "in live_replicas and replica in isr", "in isr"),
        ("offline", "in live_replicas and replica in isr", "in live_replicas"),
        ("offline", " for member in isr if member in live_replicas)", " for member in isr)"),
        ("offline", "(replica,), unclean=True", "(replica,)"),
        ("offline", "(replica,), unclean=True", "tuple(isr), unclean=True"),
        ("offline", "    if unclean_election_enabled:", "    if True:"),
        ("offline", "    return None", "    return Elected(assignment[0], ())"),
        ("reassign", "in live_replicas and replica in isr", "in live_replicas or replica in isr"),
        ("reassign", "tuple(isr)", "()"),
        ("preferred", "preferred in live_replicas and ", ""),
        ("preferred", "    return None", "    return Elected(preferred, (preferred,))"),
        ("shutdown", " and replica not in shutting_down_brokers", ""),
        ("shutdown", " if member not in shutting_down_brokers", ""),
        ("shutdown", "member not in shutting_down_brokers)", "member in live_replicas)"),
    ],
)
def test_a_changed_election_has_not(kind, old, new):
    assert not proved(FORMULAS[kind][1](changed(kind, old, new)))


def test_a_read_of_another_place_is_refused():
    election = changed("preferred", "assignment[0]", "assignment[1]")
    with pytest.raises(ProofError, match="a place other than the first"):
        code.as_first_that_fits(election)


def test_a_third_loop_is_refused():
    election = changed(
        "reassign",
        "    return None",
        "    for replica in target:\n        pass\n    for replica in target:\n        pass\n",
    )
    with pytest.raises(ProofError, match="more than two loops"):
        code.as_first_that_fits(election)


def subsets(members):
    return chain.from_iterable(combinations(members, size) for size in range(len(members) + 1))


def first(replicas, fit):
    return next((replica for replica in replicas if fit(replica)), None)


def test_an_election_is_what_its_formula_says_for_every_input():
    """E1 with E2 on lists: the first replica that fits, and what stays in the ISR."""
    elections = {kind: own for kind, (own, _) in FORMULAS.items()}
    for size in range(1, 5):
        replicas = range(1, size + 1)
        for isr in subsets(replicas):
            for live in subsets(replicas):
                clean = first(replicas, lambda r: r in isr and r in live)
                for unclean in (False, True):
                    found = elections["offline"](replicas, isr, live, unclean)
                    leader = clean or (first(replicas, lambda r: r in live) if unclean else None)
                    assert (found and found.leader) == leader
                    if clean:
                        assert {*found.isr} == {*isr} & {*live} and not found.unclean
                    elif leader:
                        assert found.isr == (leader,) and found.unclean
                for kind, may in (
                    ("reassign", clean),
                    ("preferred", clean if clean == 1 else None),
                ):
                    found = elections[kind](replicas, isr, live)
                    assert (found and found.leader, found and found.isr) == (may, may and isr)
                for down in subsets(replicas):
                    found = elections["shutdown"](replicas, isr, live, down)
                    may = first(replicas, lambda r: r in isr and r in live and r not in down)
                    assert (found and found.leader) == may
                    assert not found or {*found.isr} == {*isr} - {*down}
