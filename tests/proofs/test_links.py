"""Links between theorems: a theorem falls with one that it rests on, if false or too weak."""

from __future__ import annotations

import importlib
from contextlib import contextmanager
from pathlib import Path

import pytest
import z3

from proofs.arith import base, bounds, clock, code, levels, order, queue_code, slots, timer_code
from proofs.timer_task_list import system as ring
from proofs.timer_task_list.faults import EVERYTHING, FAULTS, view_of
from tests.nights import only
from tests.proofs.declared import theorems
from wheelproof.isolated import Finder, apart
from wheelproof.prove.kernel import Theory
from wheelproof.prove.ts.theory import Conditions, submit

ROOT = Path(__file__).resolve().parents[2]
THEORIES = [
    module.THEORY
    for module in (base, clock, slots, levels, bounds, order, code, queue_code, timer_code)
]
ARITHMETIC = sorted(
    {
        link
        for theory in THEORIES
        for theorem in theory.theorems.values()
        for link in theorem.rests_on
    }
)


@contextmanager
def changed(module: str, old: str, new: str):
    """Within: the proofs, with one text of one module replaced."""
    text = ROOT.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    assert text.count(old) == 1
    with apart(Finder(ROOT, {module: text.replace(old, new)})):
        yield


def test_no_link_is_left_out():
    """What these tests, those of heaps and the protocols' own go through is all that there is."""
    links = {(item.theory.partition(".")[0], link) for item in theorems() for link in item.rests_on}
    assert {folder for folder, _ in links} == {"arith", "heap", "protocols"}
    assert sorted(link for folder, link in links if folder == "arith") == ARITHMETIC
    assert sum(len(item.rests_on) for item in theorems()) > 80


BY_DAY = {"T2", "T11", "T13-takes", "next_turn", "quotient_monotone", "window"}
"""Links that are quick to weaken, of each module of the arithmetic that is rested on."""


def test_the_links_by_day_are_links():
    assert set(ARITHMETIC) > BY_DAY


@pytest.mark.parametrize(
    "link",
    [pytest.param(link, marks=[pytest.mark.nightly] * (link not in BY_DAY)) for link in ARITHMETIC],
)
def test_a_lemma_that_says_nothing_proves_nothing_that_rests_on_it(link):
    """Generated from the links: with empty lemma instances, each theorem that cites them fails."""
    resting = [
        (theory, name)
        for theory in THEORIES
        for name, item in theory.theorems.items()
        if link in item.rests_on
    ]
    assert resting
    for theory, name in resting:
        theorem = theory.theorems[name]
        vcs = [
            type(vc)(
                vc.name,
                {
                    each: z3.BoolVal(True) if vc.cites.get(each) == link else formula
                    for each, formula in vc.premises.items()
                },
                vc.goal,
                vc.vivid,
                vc.meaning,
                vc.cites,
            )
            for vc in theorem.vcs
        ]
        weak = Theory("weak", mechanism="m", after=(theory,))
        weak.theorem(f"weak {name}", "", vcs, rests_on=theorem.rests_on, is_lemma=True)
        assert weak.check(f"weak {name}", 1).verdict != "proved", name


@pytest.mark.parametrize(
    ("module", "old", "new", "theorem"),
    only(
        [
            pytest.param(
                "proofs.arith.levels",
                "lambda e, T, t, w: e < trim(T, t) + mul(t, w),\n    [\n",
                "lambda e, T, t, w: e < e + 1,\n    [\n",
                "T12",
                id="T10 says nothing",
            ),
            pytest.param(
                "proofs.arith.levels",
                "lambda e, T, t: e < trim(T, t) + t,",
                "lambda e, T, t: e < e + t,",
                "T12-base",
                id="T11 says nothing",
            ),
            pytest.param(
                "proofs.arith.slots",
                "lambda e, t, w: between(0, slot(e, t, w), w),",
                "lambda e, t, w: slot(e, t, w) < w + 1,",
                "",
                id="T1: nothing rests on it",
            ),
        ],
        "T11 says nothing",
    ),
)
def test_a_weakened_theorem_takes_what_rests_on_it(module, old, new, theorem):
    with changed(module, old, new):
        theory = importlib.import_module("proofs.arith.levels").THEORY
        fallen = [name for name in theory.theorems if theory.check(name, 1).verdict != "proved"]
    assert theorem in fallen if theorem else not fallen


@pytest.mark.nightly
def test_a_false_lemma_takes_what_rests_on_it(tmp_path):
    """T10 with the tick for the turn is false: its row is, and T12's is not proved."""
    import shutil

    from wheelproof.checks import verify
    from wheelproof.events import VerifyOptions

    for folder in "proofs", "spec", "model", "impl", "mutants":
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    file = tmp_path / "proofs" / "arith" / "levels.py"
    text = file.read_text(encoding="utf-8")
    old = "lambda e, T, t, w: e < trim(T, t) + mul(t, w),\n    [\n"
    assert text.count(old) == 1
    file.write_text(text.replace(old, old.replace("mul(t, w)", "t", 1)), encoding="utf-8")
    options = VerifyOptions(
        (),
        frozenset({"proof"}),
        "fast",
        tmp_path,
        tmp_path / "build",
        1,
        theorems=("T10", "T12", "T11"),
        seeds=1,
    )
    rows = {row.name: row for row in verify.run(options)}
    assert not rows["T10"].ok and rows["T11"].ok
    assert rows["T12"].verdict == "inconclusive" and not rows["T12"].ok


@pytest.mark.nightly
def test_a_key_that_an_add_may_change_unproves_p10():
    with changed("proofs.arith.order", *WEAKER["T17-insert"][:2]):
        theory = importlib.import_module("proofs.system_timer.theory").THEORY
        assert (
            theory.check("P10", 1).verdict != "proved"
            and theory.check("P11", 1).verdict == "proved"
        )


WEAKER = {
    "T17-insert": (
        "    lambda e, x, c, t, w: both(key(e, t) == x, c < x),",
        "    lambda e, x, c, t, w: c <= x,",
        {"Inv.Buckets", "P10"},
    ),
    "T17-key": ("        slot(key(e, t), t, w) == slot(e, t, w),\n", "", {"Inv.Buckets"}),
    "T17-clock": ("        c <= advanced(c, p, t),\n", "", {"Inv.Buckets"}),
    "T17-release: nothing rests on it": (
        "lambda x, p, now, t: trim(p, t) < x,",
        "lambda x, p, now, t: trim(p, t) < x + 1,",
        set(),
    ),
}
"""A lemma of the wheel's arithmetic -> its text, a weaker one, and the theorems that fall."""


@pytest.mark.parametrize("old", [old for old, _, _ in WEAKER.values()], ids=WEAKER)
def test_a_text_that_the_nightly_test_weakens_is_there_once(old):
    assert (ROOT / "proofs/arith/order.py").read_text(encoding="utf-8").count(old) == 1


@pytest.mark.nightly
@pytest.mark.parametrize(("old", "new", "fallen"), WEAKER.values(), ids=WEAKER)
def test_the_buckets_rest_on_the_wheels_arithmetic(old, new, fallen):
    with changed("proofs.arith.order", old, new):
        theory = importlib.import_module("proofs.system_timer.theory").THEORY
        assert {
            name for name in theory.theorems if theory.check(name, 1).verdict != "proved"
        } == fallen


class Nothing(ring.TimerTaskList):
    """The ring's system with an invariant that says nothing of rings."""

    linked_says_so = None
    says_so_is_linked = None


@pytest.mark.nightly
def test_an_invariant_that_says_less_proves_less():
    of = Conditions(Nothing(), EVERYTHING, lemma="Inv.Nothing")
    theory = Theory("less", mechanism="m")
    theory.theorem("Inv.Nothing", "", of.invariant()[:1], is_lemma=True)
    for name in "at_most_one_list", "exactly_its_list":
        theory.theorem(name, "", [of.vc(name)], is_lemma=True, rests_on=("Inv.Nothing",))
        assert theory.check(name, 1).verdict != "proved"


def test_a_restriction_falls_with_the_invariant_of_its_base():
    theory = Theory("sand", mechanism="m")
    submit(
        theory, ring.TimerTaskList, EVERYTHING, FAULTS.values(), view_of, lemma="Inv.TimerTaskList"
    )
    submit(
        theory,
        ring.OneReaper,
        EVERYTHING,
        FAULTS.values(),
        view_of,
        suffix=".OneReaper",
        base=ring.TimerTaskList,
        lemma_of_base="Inv.TimerTaskList",
    )
    assert [each.name for each in theory.closure("P12.OneReaper")] == [
        "Inv.TimerTaskList",
        "Inv.OneReaper",
        "P12.OneReaper",
    ]
