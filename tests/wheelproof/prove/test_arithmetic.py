"""Statements about whole numbers: proved from instances, with mutants that have one thing wrong."""

import pytest
import z3

from wheelproof.prove import solvers
from wheelproof.prove.arithmetic import (
    Arithmetic,
    Mutant,
    Step,
    between,
    div,
    meaning,
    mod,
    mul,
    use,
)
from wheelproof.prove.kernel import ProofError

# -- statements about whole numbers


def arithmetic() -> Arithmetic:
    made = Arithmetic("toy", "thing")
    made.ground(
        "divmod",
        "quotient and remainder",
        lambda a, b: {"b above 0": b >= 1},
        lambda a, b: z3.And(a == mul(div(a, b), b) + mod(a, b), 0 <= mod(a, b), mod(a, b) < b),
        vivid={"a": 17, "b": 5},
    )
    return made


ONE_MORE = Mutant(
    "wrong modulus", "one bucket more", claim=lambda a, b: between(0, mod(a, b + 1), b)
)


def proved(made: Arithmetic, instances=lambda a, b: [use("divmod", a=a, b=b)], mutants=(ONE_MORE,)):
    return made.prove(
        "slot",
        "a remainder is below the divisor",
        lambda a, b: {"b above 0": b >= 1},
        lambda a, b: between(0, mod(a, b), b),
        [Step("claim", None, instances)],
        mutants,
        vivid={"b": 5},
    )


def test_a_statement_is_proved_from_instances_of_what_is_known():
    made = arithmetic()
    proved(made)
    assert made.check("divmod").verdict == "proved"
    found = made.check("slot")
    assert (
        found.verdict == "proved"
        and made.theorems["slot"].rests_on == ("divmod",)
        and found.unused == ()
    )
    assert found.witnesses == {"wrong modulus": "a = 5, b = 5"}


def test_without_the_instance_it_is_inconclusive_not_violated():
    """Nothing is known of the functions then: that refutes nothing with their own meaning."""
    made = arithmetic()
    proved(made, instances=lambda a, b: [])
    found = made.check("slot")
    assert found.verdict == "inconclusive" and "an instance of a lemma may be missing" in found.why


def test_a_false_statement_is_violated_with_real_numbers():
    made = arithmetic()
    made.prove(
        "wrong",
        "a remainder is below the divisor less 1",
        lambda a, b: {"b above 0": b >= 1},
        lambda a, b: mod(a, b) < b - 1,
        [Step("claim", None, lambda a, b: [use("divmod", a=a, b=b)])],
        is_lemma=True,
    )
    assert made.check("wrong").verdict == "violated"


@pytest.mark.parametrize(
    ("mutant", "changes"),
    [
        (
            Mutant(
                "both",
                "",
                premises=lambda a, b: {},
                claim=lambda a, b: between(0, mod(a, b + 1), b),
            ),
            "b above 0, the claim",
        ),
        (
            Mutant(
                "new beside the claim",
                "",
                premises=lambda a, b: {"b above 0": b >= 1, "a above 0": a >= 1},
                claim=lambda a, b: mod(a, b) < b - 1,
            ),
            "the claim, a above 0",
        ),
        (
            Mutant("two new", "", premises=lambda a, b: {"a above 0": a >= 1, "b is 3": b == 3}),
            "b above 0",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Mutant) else "",
)
def test_a_mutant_with_two_things_wrong_is_refused(mutant, changes):
    """Any of them may be what refutes it, and a mistake in the other would not show."""
    with pytest.raises(
        ProofError, match=f"slot: {mutant.name} changes {changes}. A mutant has one thing wrong"
    ):
        proved(arithmetic(), mutants=(mutant,))


def test_a_mutant_may_put_one_premise_in_the_place_of_another():
    made = arithmetic()
    made.prove(
        "sum",
        "more is more",
        lambda a, b: {"b above 0": b >= 1},
        lambda a, b: a + b > a,
        [Step("claim")],
        (
            Mutant("another", "", premises=lambda a, b: {"b from 0": b >= 0}),
            Mutant("weaker", "", premises=lambda a, b: {"b above 0": b >= 0}),
        ),
    )
    assert made.check("sum").verdict == "proved"


def test_an_instance_of_what_comes_later_is_refused():
    with pytest.raises(ProofError, match="slot uses later, which is not proved before it"):
        proved(arithmetic(), instances=lambda a, b: [use("later", a=a, b=b)])


def test_an_instance_names_every_variable():
    with pytest.raises(ProofError, match="is about a, b; the instance gives a"):
        proved(arithmetic(), instances=lambda a, b: [use("divmod", a=a)])


def test_the_last_step_has_the_claim():
    with pytest.raises(ProofError, match="the last step must have the claim"):
        arithmetic().prove(
            "slot",
            "",
            lambda a: {},
            lambda a: a == a,
            [Step("part", lambda a: a == a)],
            is_lemma=True,
        )


def test_a_witness_that_python_computes_otherwise_confirms_nothing():
    """A mutant whose Python differs from its formula: Z3 refutes it, Python does not."""

    def claim(a, b):
        return True if isinstance(a, int) else between(0, mod(a, b + 1), b)

    made = arithmetic()
    proved(made, mutants=(Mutant("two-faced", "Python says something else", claim=claim),))
    found = made.check("slot")
    assert found.verdict == "vacuous" and "the claim holds in Python" in found.why


def test_quotients_of_python_and_of_the_solvers_agree_for_divisors_above_0():
    """The assumption A-DIV."""
    a, b = z3.Ints("a b")

    def of_numbers(formula, dividend, divisor):
        return z3.substitute(meaning(formula), (a, z3.IntVal(dividend)), (b, z3.IntVal(divisor)))

    differ = []
    for dividend in range(-12, 13):
        for divisor in range(1, 6):
            for function, python in (div, dividend // divisor), (mod, dividend % divisor):
                term = of_numbers(function(a, b) == python, dividend, divisor)
                assert z3.is_true(z3.simplify(term)), (dividend, divisor, function.__name__)
                differ.append(z3.Not(term))
    second = solvers.second_opinion(solvers.smt_lib([z3.Or(differ)]))
    assert second == "unsat" and len(differ) == 250
    planted = z3.Not(of_numbers(div(a, b) == -2, -7, 3))
    assert solvers.second_opinion(solvers.smt_lib([z3.Or(*differ, planted)])) == "sat"
    below = z3.simplify(
        z3.substitute(meaning(div(a, b) == -2), (a, z3.IntVal(3)), (b, z3.IntVal(-2)))
    )
    assert 3 // -2 == -2 and z3.is_false(below), (
        "for a divisor below 0 they differ: hence a tick of at least 1"
    )
