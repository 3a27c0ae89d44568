"""Sequences of one element or none, LET in steps, and tests that read what has no terms."""

from __future__ import annotations

import pytest
import z3

from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Function,
    Record,
    Vocabulary,
    named_element,
    prefixed,
    single,
)
from wheelproof.prove.module.systems import made
from wheelproof.prove.ts.system import sort
from wheelproof.tla import export
from wheelproof.tla.syntax import OutsideSubset

THREAD = sort("Clerk", null="no_clerk")
WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD},
    nulls=frozenset(["none"]),
    elements={"?": THREAD},
    unread=frozenset(["q"]),
    variables={
        "late": Function(THREAD, single(Record({"n": INT, "m": INT}))),
        "x": INT,
        "who": THREAD,
        "flag": BOOL,
        "pc": prefixed("ClerkLabel", "at", "Nowhere A B Done"),
        "own": Record({"n": INT, "m": INT}),
    },
)
NAMES = ("late", "q", "x", "who", "flag", "own")
HEAD = "CONSTANTS Threads, NULL\nVARIABLES late, q, x, who, flag, pc, stack, own\n"
GOES = 'pc\' = [pc EXCEPT ![self] = "B"]'
BODIES = {
    "Empties": "late' = [t \\in Threads |-> IF t = self THEN <<>> ELSE late[t]]",
    "Halves": "late' = [t \\in Threads |-> IF late[t] = <<>> THEN late[t] "
    "ELSE <<[late[t][1] EXCEPT !.n = 0]>>]",
    "Keeps": "late' = [late EXCEPT ![self] = <<[n |-> x, m |-> 0]>>]",
    "Asks": "x' = IF late[self] # <<>> THEN late[self][1].n ELSE x",
    "Trusts": "x' = late[self][1].n",
    "Several": "late' = [late EXCEPT ![self] = <<own[self], own[self]>>]",
    "Waits": "q # <<>> /\\ x' = x + 1",
    "Lets": "LET y == [own[self] EXCEPT !.n = x] IN own' = [own EXCEPT ![self] = y]",
    "Names": 'who\' = IF who = "?" THEN "none" ELSE who',
    "Branches": 'IF q # <<>> /\\ flag THEN pc\' = [pc EXCEPT ![self] = "B"] '
    'ELSE pc\' = [pc EXCEPT ![self] = "Done"]',
}


def text(body: str) -> str:
    same = ", ".join(each for each in NAMES if f"{each}'" not in body)
    goes = "" if "pc'" in body else f"/\\ {GOES} "
    return (
        f'{HEAD}A(self) ==\n  /\\ pc[self] = "A"\n  /\\ {body}\n'
        f"  {goes}/\\ UNCHANGED <<{same}, stack>>\n"
        'B(self) ==\n  /\\ pc[self] = "B" /\\ pc\' = [pc EXCEPT ![self] = "Done"]\n'
        f"  /\\ UNCHANGED <<{', '.join(NAMES)}, stack>>\n"
        "Next == \\E self \\in Threads : A(self) \\/ B(self)\n"
    )


@pytest.fixture(scope="module")
def written(modules):
    return modules({f"Single{name}": text(body) for name, body in BODIES.items()})


@pytest.fixture
def step(written):
    """A function: name -> the system, its symbols, and the step of A."""

    def taken(name):
        of = made(name, export.load(written[f"Single{name}"]), WORDS)()
        return of, of.symbols(), of.step("A_to_B", of.symbols())[1]

    return taken


T = z3.Const("t!", THREAD.z3)


def entails(premises, goal) -> bool:
    solver = z3.Solver()
    solver.add(*premises, z3.Not(goal))
    return solver.check() == z3.unsat


def test_one_that_is_set_everywhere_is_a_comprehension_for_each_field_that_changes(step):
    _, s, taken = step("Empties")
    assert set(taken.defined) == {"late_has", "late_item_n", "late_item_m"}
    other = z3.Const("other", THREAD.z3)
    has = taken.updates["late_has"]
    assert entails(taken.guards, z3.Not(has[T]))
    assert entails([*taken.guards, other != T], has[other] == s.late_has[other])
    assert not entails(taken.guards, z3.Not(has[other]))
    _, _, halved = step("Halves")
    assert set(halved.defined) == {"late_item_n"}


def test_an_element_is_put_in(step):
    _, s, taken = step("Keeps")
    assert entails([], taken.updates["late_has"][T])
    assert entails([], taken.updates["late_item_n"][T] == s.x)


def test_an_element_is_there_where_it_is_read(step):
    of, _, _ = step("Asks")
    assert all(entails([T != THREAD.null], each) for each in of.obligations("A_to_B"))
    of, s, _ = step("Trusts")
    assert not all(entails([T != THREAD.null], each) for each in of.obligations("A_to_B"))
    assert all(entails([T != THREAD.null, s.late_has[T]], e) for e in of.obligations("A_to_B"))


def test_several_elements_are_refused_with_their_place(step):
    with pytest.raises(OutsideSubset, match=r"module SingleSeveral, line \d+: a sequence of sev"):
        step("Several")


def test_a_guard_without_terms_is_left_open(step):
    of, s, taken = step("Waits")
    assert of.way("A_to_B").open
    assert entails(
        [s.pc[T] == WORDS.variables["pc"].value("A"), T != THREAD.null], z3.And(taken.guards)
    )


def test_of_a_test_that_is_not_known_the_known_part_guards_one_branch(step):
    of, s, taken = step("Branches")
    assert entails(taken.guards, s.flag)
    _, otherwise = of.step("A_to_Done", s)
    assert not entails(otherwise.guards, s.flag) and not entails(otherwise.guards, z3.Not(s.flag))


def test_a_let_sees_the_names_around_it(step):
    _, s, taken = step("Lets")
    assert entails([], taken.updates["own_n"][T] == s.x)
    assert "own_m" not in taken.updates


def test_strings_are_null_or_elements(step):
    _, s, taken = step("Names")
    named = z3.Const(named_element("?"), THREAD.z3)
    assert entails([s.who == named], taken.updates["who"] == THREAD.null)
    assert entails([s.who != named], taken.updates["who"] == s.who)
