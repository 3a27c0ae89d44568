"""The kernel of proofs: what evidence it gathers, and each thing that it must notice."""

from dataclasses import replace
from pathlib import Path

import pytest
import z3

from wheelproof.prove import evidence, solvers
from wheelproof.prove.kernel import VC, Control, Found, ProofError, Theory, refuted

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
    """Z3 counts for a context: without a difference the count would grow with each check."""
    text, shared = solvers.smt_lib([x > y, y > x]), z3.Context()
    of_its_own = {solvers.refute(text, 0).resources for _ in range(5)}
    assert of_its_own == {solvers.refute(text, 0, context=shared).resources for _ in range(5)}
    assert len(of_its_own) == 1


def test_the_limit_of_resources_is_that_of_one_text():
    hard = solvers.smt_lib([x * x * x + y * y * y == 33])
    shared = z3.Context()
    spent = [solvers.refute(hard, 0, 1000, shared).resources for _ in range(3)]
    assert all(1000 <= each < 2000 for each in spent), spent


def test_terms_are_looked_at_again_once_solvers_have_ended():
    with pytest.raises(RuntimeError), solvers.trusted(), solvers.trusted():
        raise RuntimeError
    assert solvers.refute(solvers.smt_lib([x > y, y > x]), 0).verdict == "unsat"
    with pytest.raises(z3.Z3Exception):
        z3.And(x, y)


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


def test_the_report_of_evidence_is_complete():
    report = theory(hypotheses=("above", "from 0", "idle")).check("T").report()
    for part in (
        "T: x is above 0\nproved\n",
        f"z3 {z3.get_version_string()}, cvc5 ",
        "3 seeds",
        "condition claim\n    premises hold for  x = ",
        "refutation uses    above, from 0\n",
        "control mutant: y may be negative\n    refuted by         x = ",
        "no condition uses: idle",
    ):
        assert part in report
    assert (
        "violated: claim: does not hold"
        in theory(VC("claim", {"above": x > y}, x > 0)).check("T").report()
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


def test_a_link_that_is_not_needed_is_reported_once():
    made = theory()
    made.theorem("U", "spare", [replace(CLAIM, cites={"idle": "T"})], is_lemma=True, rests_on=["T"])
    found = made.check("U")
    assert (found.verdict, found.why) == (
        "vacuous",
        "it claims to rest on T, and holds without it",
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
