"""Procedures of a module: whose frames can be on a stack twice."""

from __future__ import annotations

import pytest

from wheelproof.prove.module.stacks import procedures
from wheelproof.tla import export

BELOW = {"call": "stack[self]", "tail": "Tail(stack[self])"}
"""What stays under the new frame, by how a procedure is called."""
CASES = {
    "Each_replaces_the_other": ("tail q", "tail p", False),
    "A_tail_call_ends_above_a_call": ("call q", "tail p", True),
    "A_call_ends_above_a_tail_call": ("tail q", "call p", True),
    "Each_calls_the_other": ("call q", "call p", True),
    "One_calls_itself": ("call p", "return", True),
    "One_replaces_itself": ("tail p", "return", True),
    "One_calls_the_other": ("call q", "return", False),
}
"""Case -> what the procedures p and q do, and whether one of them may be on a stack twice."""


def step(label: str, does: str) -> str:
    """The definition of a label's step, as PlusCal's translation writes it."""
    how, _, procedure = does.partition(" ")
    if how == "return":
        target, stack = "Head(stack[self]).pc", "Tail(stack[self])"
    else:
        back = '"T"' if how == "call" else "Head(stack[self]).pc"
        target = f'"{procedure.upper()}"'
        frame = f'[procedure |-> "{procedure}", pc |-> {back}, x |-> x[self]]'
        stack = f"<<{frame}>> \\o {BELOW[how]}"
    return (
        f'{label}(self) == /\\ pc[self] = "{label}" /\\ UNCHANGED x\n'
        f"  /\\ pc' = [pc EXCEPT ![self] = {target}]\n"
        f"  /\\ stack' = [stack EXCEPT ![self] = {stack}]\n"
    )


@pytest.fixture(scope="module")
def files(modules):
    return modules(
        {
            name: "VARIABLES pc, stack, x\n"
            + step("T", "call p")
            + step("P", p)
            + step("Q", q)
            + "thread(self) == T(self)\np(self) == P(self)\nq(self) == Q(self)\n"
            'Next == \\E self \\in {"a"} : thread(self) \\/ p(self) \\/ q(self)\n'
            for name, (p, q, _) in CASES.items()
        }
    )


@pytest.mark.parametrize("name", CASES)
def test_a_procedure_is_on_a_stack_twice_only_where_its_first_frame_stays(files, name):
    result = procedures(export.load(files[name]))
    assert result.recursive == CASES[name][2]
    assert result.of == {"T": "", "P": "p", "Q": "q"}
    assert result.saved["p"] == ("x",)
