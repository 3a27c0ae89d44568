"""Both solvers on texts: the settings that reach them, their answers, and what is no answer."""

from __future__ import annotations

import pytest
import z3

from wheelproof.prove import solvers
from wheelproof.prove.solvers import NotRefuted, SolverError

X, Y, Z = z3.Ints("x y z")
HOLDS = solvers.smt_lib([X > 3, Y == 2 * X])
FAILS = solvers.smt_lib([X > 3, Y == 5, X < Y - 2])
HARD = solvers.smt_lib([X * X * X + Y * Y * Y + Z * Z * Z == 33])


@pytest.fixture
def settings(monkeypatch):
    """The settings of each of Z3's solvers."""
    found = []

    class Noted(z3.Solver):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            found.append({"context": self.ctx})

        def set(self, name, value):
            found[-1][name] = value
            super().set(name, value)

    monkeypatch.setattr(z3, "Solver", Noted)
    return found


@pytest.mark.parametrize("ask", [solvers.refute, solvers.model])
def test_the_seed_the_limits_and_the_context_reach_the_solver(settings, ask):
    context = z3.Context()
    ask(HOLDS, 7, 1_000_000, context)
    wall = solvers.SECONDS * 1000
    assert settings == [
        {"context": context, "random_seed": 7, "rlimit": 1_000_000, "timeout": wall}
    ]
    ask(HOLDS, 8)
    assert settings[1]["random_seed"] == 8 and settings[1]["rlimit"] == solvers.RESOURCES
    assert settings[1]["context"] not in (context, z3.main_ctx())


def test_a_model_has_the_values_in_one_line_by_name():
    verdict, found = solvers.model(solvers.smt_lib([X == 4, Y == -2, z3.K(X.sort(), Y)[1] == Y]))
    assert verdict == "sat" and solvers.shown(found) == "x = 4, y = -2"
    rows = z3.Const("rows", z3.ArraySort(z3.IntSort(), z3.IntSort()))
    _, found = solvers.model(solvers.smt_lib([rows == z3.K(z3.IntSort(), z3.IntVal(1))]))
    assert solvers.shown(found) == "rows = ((as const (Array Int Int)) 1)"
    assert solvers.model(FAILS) == ("unsat", None)
    assert solvers.model(HARD, resources=10_000) == ("unknown", None)


def test_a_refutation_names_the_formulas_that_it_needs_for_every_seed():
    for seed in range(4):
        answer = solvers.refute(FAILS, seed)
        assert (answer.verdict, answer.core, answer.reason) == ("unsat", {0, 1, 2}, "")
        assert answer.resources > 0
    spare = solvers.smt_lib([Y > 7, X > 3, X < 3])
    assert all(solvers.refute(spare, seed).core == {1, 2} for seed in range(4))


def test_what_is_not_refuted_says_why():
    answer = solvers.refute(HOLDS, 0)
    assert (answer.verdict, answer.core, answer.reason) == ("sat", frozenset(), "")
    answer = solvers.refute(HARD, 0, 10_000)
    assert answer.verdict == "unknown" and answer.reason and answer.core == frozenset()


def test_units_are_those_of_one_text_in_a_context_of_several():
    context = z3.Context()
    first, second = (solvers.refute(FAILS, 0, context=context).resources for _ in range(2))
    assert 0 < second < 2 * first


def test_the_second_solver_has_its_answer_or_an_error():
    assert solvers.second_opinion(HOLDS) == "sat"
    assert solvers.second_opinion(FAILS) == "unsat"
    assert solvers.second_opinion("(assert (> x 3))\n(check-sat)").startswith("error: ")
    assert solvers.second_opinion(HOLDS.replace("(check-sat)", "")) == "error: no answer"
    assert solvers.second_opinion(HOLDS + "(check-sat)") == "error: sat sat"


def test_a_certificate_is_a_proof_of_what_is_refuted():
    assert solvers.certificate(FAILS).lstrip().startswith("(")
    with pytest.raises(NotRefuted, match="no proof of the second text, and says sat"):
        solvers.certificate(HOLDS)


def test_a_proof_that_cannot_be_written_is_an_error_with_its_reason(monkeypatch):
    class Silent:
        def getProof(self):
            return [None]

        def proofToString(self, proof, form):
            return '((error "a rule has no name"))'

    monkeypatch.setattr(solvers, "_answer", lambda text, options: (Silent(), "unsat"))
    with pytest.raises(SolverError, match="cvc5: a rule has no name"):
        solvers.certificate(FAILS)


def test_types_of_terms_are_checked_again_behind_trusted_code():
    checks = z3.z3.Z3_DEBUG
    with pytest.raises(ValueError), solvers.trusted():
        assert not z3.z3.Z3_DEBUG
        raise ValueError
    assert z3.z3.Z3_DEBUG is checks


def test_the_solvers_are_named_with_their_versions():
    assert set(solvers.versions()) == {"z3", "cvc5"}
    assert all(each[0].isdigit() for each in solvers.versions().values())
