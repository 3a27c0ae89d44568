"""No step of a module is lost: where several ways become one, and where a value is not known."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from wheelproof.prove.module.shapes import BOOL, INT, Vocabulary, prefixed
from wheelproof.prove.module.systems import made
from wheelproof.prove.ts.system import sort
from wheelproof.tla import export

THREAD = sort("Usher", null="no_usher")
WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD},
    unread=frozenset(["q"]),
    variables={
        "x": INT,
        "flag": BOOL,
        "pc": prefixed("UsherLabel", "at", "Nowhere A B Done"),
    },
)
HEAD = "CONSTANTS Threads, NULL\nVARIABLES q, x, flag, pc, stack\n"
BODIES = {
    "Unknown": ("IF q # <<>> THEN x' = 1 ELSE x' = 2", {1, 2}),
    "HalfKnown": ("IF q # <<>> /\\ flag THEN x' = 1 ELSE x' = 2", {1, 2}),
    "Within": ("IF flag THEN x' = 1 ELSE (IF q # <<>> THEN x' = 2 ELSE x' = 3)", {1, 2, 3}),
    "Keeps": ("IF q # <<>> THEN x' = 1 ELSE x' = x", {1, 7}),
    "Either": ("(\\/ x' = 1\n      \\/ x' = 2)", {1, 2}),
    "Overlaps": ("(\\/ (x < 9 /\\ x' = 1)\n      \\/ (x > 3 /\\ x' = 2))", {1, 2}),
    "Known": ("IF flag THEN x' = 1 ELSE x' = 2", {1, 2}),
    "Alike": ("IF q # <<>> THEN x' = 1 ELSE x' = 1", {1}),
}
"""Name -> what A does, and the values of x that there may be after it, where x is 7."""
ONE_WAY = {"Known", "Alike"}
"""Those whose branches exclude each other, or set the same: a step has the values of both."""


@pytest.fixture(scope="module")
def written(modules):
    texts = {}
    for name, (body, _) in BODIES.items():
        texts[f"Joined{name}"] = (
            f'{HEAD}A(self) ==\n  /\\ pc[self] = "A"\n  /\\ {body}\n'
            '  /\\ pc\' = [pc EXCEPT ![self] = "B"] /\\ UNCHANGED <<q, flag, stack>>\n'
            'B(self) ==\n  /\\ pc[self] = "B" /\\ pc\' = [pc EXCEPT ![self] = "Done"]\n'
            "  /\\ UNCHANGED <<q, x, flag, stack>>\n"
            "Next == \\E self \\in Threads : A(self) \\/ B(self)\n"
        )
    return modules(texts)


def possible(of, number: int) -> bool:
    """Whether some step of A goes from x = 7 to this number."""
    s = of.symbols()
    for name in of.LABELS["A"]:
        taken = of.step(name, s)[1]
        solver = z3.Solver()
        solver.add(*taken.guards, s.x == 7, taken.updates.get("x", s.x) == number)
        if solver.check() == z3.sat:
            return True
    return False


@pytest.mark.parametrize("name", BODIES)
def test_every_step_is_there_and_no_other(written, name):
    of = made(name, export.load(written[f"Joined{name}"]), WORDS)()
    assert {number for number in range(9) if possible(of, number)} == BODIES[name][1]
    assert (len(of.LABELS["A"]) == 1) == (name in ONE_WAY)


HELD = replace(
    WORDS,
    variables={
        "who": THREAD,
        "number": INT,
        "pc": prefixed("HolderLabel", "at", "Nowhere A B Done"),
    },
)


@pytest.mark.parametrize("name", ["who", "number"])
def test_a_value_that_is_not_known_may_be_any_and_none(modules, name):
    """What a thread takes out of a variable without terms: an element, or null; any number."""
    other = "number" if name == "who" else "who"
    texts = {
        f"Holds_{name}": "CONSTANTS Threads, NULL\nVARIABLES q, pc, who, number, stack\n"
        f'A(self) ==\n  /\\ pc[self] = "A"\n  /\\ {name}\' = [{name} EXCEPT ![self] = q[1]]\n'
        '  /\\ pc\' = [pc EXCEPT ![self] = "B"]\n'
        f"  /\\ UNCHANGED <<q, stack, {other}>>\n"
        'B(self) ==\n  /\\ pc[self] = "B" /\\ pc\' = [pc EXCEPT ![self] = "Done"]\n'
        "  /\\ UNCHANGED <<q, stack, who, number>>\n"
        "Next == \\E self \\in Threads : A(self) \\/ B(self)\n"
    }
    of = made(f"Holds_{name}", export.load(modules(texts)[f"Holds_{name}"]), HELD)()
    s, thread = of.symbols(), z3.Const("t!", THREAD.z3)
    taken = of.step("A_to_B", s)[1]
    one = z3.Const("one", THREAD.z3)
    wanted = [THREAD.null, one] if name == "who" else [z3.IntVal(each) for each in (-1, 0, 7)]
    for value in wanted:
        solver = z3.Solver()
        solver.add(*taken.guards, taken.updates[name][thread] == value, one != THREAD.null)
        assert solver.check() == z3.sat, value
