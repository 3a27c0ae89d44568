"""A formula has the level of what it is about, whatever SANY's placeholders say."""

import pytest

from wheelproof.tla import export
from wheelproof.tla.model import Compiled
from wheelproof.tla.standard import _CALLS, _INFIX
from wheelproof.tla.syntax import Level

STEPS = """
VARIABLES x, y, q, pc
{definitions}
Init == x = 2 /\\ y = 3 /\\ q = <<1, 2>> /\\ pc = [self \\in {{"a"}} |-> "L"]
L(self) == /\\ pc[self] = "L" /\\ {effect} /\\ pc' = [pc EXCEPT ![self] = "Done"]
Next == \\E self \\in {{"a"}} : L(self)
"""
KEEPS = "UNCHANGED <<x, y, q>>"

APPLIED = {
    **{name: f"x {name} y" for name in (*_INFIX, "\\div", "%", "^", "..", ":>")},
    "@@": "q @@ q",
    "-.": "-x",
    "Len": "Len(q)",
    "Cardinality": "Cardinality({x})",
    "Head": "Head(q)",
    "Tail": "Tail(q)",
    "\\o": "q \\o q",
    "Append": "Append(q, x)",
    "SubSeq": "SubSeq(q, 1, 1)",
    "SelectSeq": "SelectSeq(q, LAMBDA z : z = x)",
    "IsFiniteSet": "IsFiniteSet({x})",
    "PrintT": "PrintT(x)",
    "Print": "Print(x, 1)",
    "Assert": "Assert(x = 1, 2)",
    "ToString": "ToString(x)",
    "TLCEval": "TLCEval(x)",
    "Permutations": "Permutations({x})",
    "SortSeq": "SortSeq(q, LAMBDA a, b : a < b)",
}

PRODUCTS = {
    "Directly": "x * y = 6",
    "Squared": "Square(x) = 4",
    "Twice": "Square(Square(x)) = 16",
    "Applied": "Apply(Square, x) = 4",
    "ByLambda": "Apply(LAMBDA z : z * y, x) = 6",
    "InLet": "LET p == x * y IN p = 6",
    "InLetOf": "LET p(z) == z * y IN p(x) = 6",
    "Bounded": "\\A z \\in {x * y} : z = 6",
    "Recursive": "Power(x) = 16",
}
OPERATORS = """
Square(z) == z * z
Apply(F(_), z) == F(z)
RECURSIVE Raised(_, _)
Raised(z, n) == IF n = 0 THEN 1 ELSE z * Raised(z, n - 1)
Power(z) == Raised(z, 4)
"""


@pytest.fixture(scope="module")
def module(modules):
    """A function: (name, definitions, effect) -> the syntax tree."""

    def made(name, definitions, effect=KEEPS):
        return export.load(
            modules({name: STEPS.format(definitions=definitions, effect=effect)})[name]
        )

    return made


def test_every_standard_operator_of_a_variable_is_about_a_state(module):
    assert set(APPLIED) == {*_INFIX, *_CALLS, "\\div", "%"}
    names = {f"D{number}": text for number, text in enumerate(APPLIED.values())}
    tree = module("Standard", "\n".join(f"{name} == {text}" for name, text in names.items()))
    assert {tree.definition(name).level for name in names} == {Level.STATE}


def test_a_product_of_constants_stays_a_constant(module):
    tree = module(
        "Numbers", OPERATORS + "N == Square(3) * 2 + Power(2)\nM == [z \\in 1..2 |-> z * z]"
    )
    assert [tree.definition(name).level for name in ("N", "M")] == [Level.CONSTANT] * 2


def test_a_product_of_variables_is_computed_in_each_state(module):
    formulas = "\n".join(f"{name} == {text}" for name, text in PRODUCTS.items())
    model = Compiled(module("Products", OPERATORS + formulas, "x' = x + 1 /\\ UNCHANGED <<y, q>>"))
    scenario = model.model({}, ("a",))
    before = scenario.initial()
    ((_, _, after),) = scenario.successors(before)
    for name in PRODUCTS:
        assert (scenario.holds(name, before), scenario.holds(name, after)) == (True, False), name


def test_a_product_of_primed_variables_is_about_a_step(module):
    effect = "x' = x + 1 /\\ y' = x' * x' /\\ UNCHANGED q"
    scenario = Compiled(module("Primed", "Step == x' * y' = 27", effect)).model({}, ("a",))
    ((_, _, after),) = scenario.successors(scenario.initial())
    assert after[0] == (3, 9, scenario.initial()[0][2])
    assert scenario.module.definition("Step").level is Level.ACTION


def test_enabled_is_about_a_state(module):
    tree = module("Ready", "Ready(A) == ENABLED A\nGo == Ready(x' = x * x)")
    assert tree.definition("Go").level is Level.STATE


THEOREM = """
THEOREM ASSUME NEW {declared} PROVE {goal}
<1> DEFINE Hidden == {goal}
<1> QED OBVIOUS
Hidden == x = 2
Seen == Hidden
"""


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("declared", "goal"),
    [
        ("z \\in Nat", "z = x"),
        ("CONSTANT z", "z = x"),
        ("VARIABLE z", "z = x"),
        ("STATE z", "z = x"),
        ("ACTION z", "z"),
        ("TEMPORAL z", "[]z"),
        ("F(_)", "F(x)"),
    ],
)
def test_a_name_of_assume_new_is_no_name_of_the_module(declared, goal, module):
    tree = module("Theorem", THEOREM.format(declared=declared, goal=goal))
    assert (tree.constants, tree.variables) == ((), ("x", "y", "q", "pc"))
    scenario = Compiled(tree).model({}, ("a",))
    assert scenario.holds("Seen", scenario.initial())


def test_a_step_whose_guard_is_a_product_is_taken_only_where_it_holds(module):
    scenario = Compiled(module("Guard", "", f"x * y = 7 /\\ {KEEPS}")).model({}, ("a",))
    assert scenario.successors(scenario.initial()) == []
