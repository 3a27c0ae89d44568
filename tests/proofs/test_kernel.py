"""The kernel of proofs: what evidence it gathers, and each thing that it must notice."""

from dataclasses import replace
from pathlib import Path

import pytest
import z3

from proofs import evidence, solvers
from proofs.arithmetic import Arithmetic, Mutant, Step, between, div, meaning, mod, mul, use
from proofs.kernel import VC, Control, Found, ProofError, Theory, refuted

x, y = z3.Ints("x y")
THING = z3.DeclareSort("Thing")
CLAIM = VC("claim", {"above": x > y, "from 0": y >= 0, "idle": x > -9}, x > 0, vivid=[y > 3])


def confirmed(model: z3.ModelRef) -> str:
    return ""


def theory(*vcs: VC, controls=(), **others):
    made = Theory("toy", "thing")
    made.theorem(
        "T",
        "x is above 0",
        vcs or [CLAIM],
        controls
        or [refuted(VC("mutant", {"above": x > y}, x > 0), "y may be negative", confirmed)],
        **others,
    )
    return made


def test_evidence_has_models_cores_resources_and_witnesses():
    found = theory(hypotheses=("above", "from 0", "idle")).check("T", seeds=4)
    assert (found.verdict, found.why, found.seeds) == ("proved", "", 4)
    assert found.cores == {"claim": {"above", "from 0"}} and found.unused == ("idle",)
    assert "y = 4" in found.models["claim"] and found.witnesses["mutant"].startswith("x = ")
    assert found.second == {"unsat"} and 0 < found.resources < 10_000


def test_the_resource_count_is_that_of_one_text():
    """A context that is used again would add up: the count would grow with each check."""
    text = solvers.smt_lib([x > y, y > x])
    assert len({solvers.refute(text, 0).resources for _ in range(5)}) == 1


def test_too_few_resources_are_inconclusive_and_never_a_proof():
    cubes = VC("cubes", {"cubes": x * x * x + y * y * y == 33}, z3.BoolVal(False))
    answer = solvers.refute(solvers.smt_lib([*cubes.premises.values()]), 0, resources=1000)
    assert answer.verdict == "unknown" and answer.reason
    found = evidence.check(theory(cubes).theorems["T"], resources=1000)
    assert found.verdict == "inconclusive" and "unknown with seed 0" in found.why


def test_seeds_shuffle_the_formulas_and_cores_keep_their_names():
    text = solvers.smt_lib([*CLAIM.premises.values(), z3.Not(CLAIM.goal)])
    assert {solvers.refute(text, seed).core for seed in range(10)} == {frozenset({0, 1, 3})}


@pytest.mark.parametrize(
    ("opinion", "verdict", "says"),
    [
        ("sat", "error", "the solvers disagree"),
        ("unknown", "inconclusive", "cvc5 does not know"),
        ("error: Illegal array type", "error", "did not take it"),
        ("unsat", "proved", ""),
    ],
)
def test_what_the_second_solver_says_counts(monkeypatch, opinion, verdict, says):
    monkeypatch.setattr(
        solvers,
        "second_opinion",
        lambda text: opinion if "(not" in text and "(>= y 0)" in text else "sat",
    )
    found = theory().check("T")
    assert found.verdict == verdict and says in found.why


def test_a_control_that_cvc5_refutes_is_an_error(monkeypatch):
    monkeypatch.setattr(solvers, "second_opinion", lambda text: "unsat")
    assert theory().check("T").verdict == "error"


@pytest.mark.parametrize(
    ("found", "verdict", "says"),
    [
        (Found("sat", "x = 1", ""), "proved", ""),
        (
            Found("sat", "x = 1", "it holds"),
            "vacuous",
            "does not confirm the counterexample x = 1: it holds",
        ),
        (Found("unsat"), "vacuous", "cannot be refuted"),
        (Found("unknown"), "inconclusive", "none excluded"),
    ],
)
def test_a_control_must_be_refuted_and_confirmed(found, verdict, says):
    checked = theory(
        controls=[Control("mutant", "one thing wrong", lambda seed: found, kind="trace")]
    ).check("T")
    assert checked.verdict == verdict and says in checked.why


def test_the_worst_verdict_counts():
    contradiction = VC("contradiction", {"above": x > y, "below": x < y}, x > 0)
    false = VC("false", {"above": x > y}, x > 0)
    found = theory(
        contradiction, false, controls=[Control("mutant", "nothing", lambda seed: Found("unknown"))]
    ).check("T")
    assert {verdict for verdict, _ in found.faults} == {"vacuous", "violated", "inconclusive"}
    assert found.verdict == "violated" and "false: does not hold" in found.why


def test_uninterpreted_sorts_and_nested_arrays_pass_both_solvers():
    holder = z3.Const("holder", z3.ArraySort(THING, z3.ArraySort(THING, z3.BoolSort())))
    a, b = z3.Consts("a b", THING)
    held = VC(
        "held",
        {
            "a holds b": holder[a][b],
            "only itself": z3.ForAll([a, b], z3.Implies(holder[a][b], a == b)),
        },
        a == b,
    )
    made = theory(
        held,
        controls=[
            refuted(VC("without", {"a holds b": holder[a][b]}, a == b), "no premise", confirmed)
        ],
    )
    assert made.check("T").verdict == "proved"


def test_files_are_whole_and_nothing_is_left_beside_them(tmp_path: Path):
    theory().check("T", folder=tmp_path)
    assert sorted(file.name for file in (tmp_path / "toy").iterdir()) == [
        "T.claim.smt2",
        "T.sha256",
        "T.txt",
    ]
    text = (tmp_path / "toy" / "T.claim.smt2").read_text()
    assert solvers.second_opinion(text) == "unsat" and str(z3.Solver().check()) == "sat"


def test_the_evidence_is_told_whole():
    told = theory(hypotheses=("above", "from 0", "idle")).check("T").told()
    for part in (
        "T: x is above 0\nproved\n",
        f"z3 {z3.get_version_string()}, cvc5 ",
        "3 seeds",
        "condition claim\n    premises hold for  x = ",
        "refutation uses    above, from 0\n",
        "control mutant: y may be negative\n    refuted by         x = ",
        "no condition uses: idle",
    ):
        assert part in told
    assert (
        "violated: claim: does not hold"
        in theory(VC("claim", {"above": x > y}, x > 0)).check("T").told()
    )


@pytest.mark.parametrize(
    ("register", "says"),
    [
        (lambda made: made.theorem("T", "again", [CLAIM], is_lemma=True), "registered twice"),
        (
            lambda made: made.theorem("U", "itself", [CLAIM], is_lemma=True, rests_on=["U"]),
            "U rests on U, which is not proved before it",
        ),
        (
            lambda made: made.theorem("U", "a later one", [CLAIM], is_lemma=True, rests_on=["V"]),
            "U rests on V",
        ),
        (lambda made: made.theorem("U", "no control", [CLAIM]), "has no control"),
        (lambda made: made.theorem("U", "nothing", [], is_lemma=True), "no verification condition"),
        (
            lambda made: made.theorem("U", "twice", [CLAIM, CLAIM], is_lemma=True),
            "several VCs called claim",
        ),
        (
            lambda made: Control("U", "odd", lambda seed: Found("sat"), kind="hearsay"),
            "of kind 'hearsay'",
        ),
    ],
)
def test_what_is_put_together_wrongly_is_refused_at_registration(register, says):
    with pytest.raises(ProofError, match=says.replace("'", ".")):
        register(theory())


def test_what_is_cited_has_to_be_named_among_what_a_theorem_rests_on():
    made = theory()
    made.theorem("U", "silent", [replace(CLAIM, cites={"above": "T"})], is_lemma=True)
    found = made.check("U")
    assert (found.verdict, found.why) == (
        "error",
        "it cites T, which it does not say that it rests on",
    ) and found.figures()["lacks"] == "T"
    assert "lacks" not in made.check("T").figures()


def test_a_link_that_is_not_needed_is_told_once():
    made = theory()
    made.theorem("U", "spare", [replace(CLAIM, cites={"idle": "T"})], is_lemma=True, rests_on=["T"])
    found = made.check("U")
    assert (found.verdict, found.why) == (
        "vacuous",
        "it is said to rest on T, and holds without it",
    )


def test_the_text_of_a_condition_names_its_premises_and_its_goal(tmp_path):
    made = theory()
    made.check("T", folder=tmp_path)
    (file,) = tmp_path.rglob("T.claim.smt2")
    assert file.read_text().startswith(
        "; T: claim\n; 0: above\n; 1: from 0\n; 2: idle\n; 3: the goal, denied\n"
    )


def test_a_closure_has_what_is_used_first():
    below = Theory("below", "thing")
    below.theorem("L", "a lemma", [CLAIM], is_lemma=True)
    above = Theory("above", "thing", after=(below,))
    above.theorem("M", "another", [CLAIM], is_lemma=True, rests_on=["L"])
    above.theorem("N", "a third", [CLAIM], is_lemma=True, rests_on=["M", "L"])
    assert [each.name for each in above.closure("N")] == ["L", "M", "N"]
    with pytest.raises(ProofError, match="rests on N"):
        below.theorem("K", "closes a cycle", [CLAIM], is_lemma=True, rests_on=["N"])


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
    """Nothing is known of the functions then; that is no counterexample with the functions' own meaning."""
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
    """A mutant whose Python means something else than its formula: Z3 refutes it, Python does not."""

    def claim(a, b):
        return True if isinstance(a, int) else between(0, mod(a, b + 1), b)

    made = arithmetic()
    proved(made, mutants=(Mutant("two-faced", "Python says something else", claim=claim),))
    found = made.check("slot")
    assert found.verdict == "vacuous" and "the claim holds in Python" in found.why


def test_quotients_of_python_and_of_the_solvers_agree_for_divisors_above_0():
    """The assumption A-DIV."""
    a, b = z3.Ints("a b")
    for dividend in range(-12, 13):
        for divisor in range(1, 6):
            for function, python in (div, dividend // divisor), (mod, dividend % divisor):
                term = z3.substitute(
                    meaning(function(a, b) == python),
                    (a, z3.IntVal(dividend)),
                    (b, z3.IntVal(divisor)),
                )
                assert z3.is_true(z3.simplify(term)), (dividend, divisor, function.__name__)
                assert (
                    solvers.second_opinion(
                        solvers.smt_lib(
                            [meaning(function(a, b)) != python, a == dividend, b == divisor]
                        )
                    )
                    == "unsat"
                )
    below = z3.simplify(
        z3.substitute(meaning(div(a, b) == -2), (a, z3.IntVal(3)), (b, z3.IntVal(-2)))
    )
    assert 3 // -2 == -2 and z3.is_false(below), (
        "for a divisor below 0 they differ: hence a tick of at least 1"
    )
