"""Terms of a module's steps against the compiled module, on every state of finite graphs."""

from __future__ import annotations

import pytest
import z3

from wheelproof.prove.module import sequences
from wheelproof.prove.module.shapes import BOOL, INT, Function, Subset, Vocabulary, Words
from wheelproof.prove.module.systems import made
from wheelproof.prove.ts.system import Enumeration, sort
from wheelproof.prove.variants import mechanisms
from wheelproof.tla import export
from wheelproof.tla.syntax import OutsideSubset

SMALL = ("two_adders", "expire_cancel", "flush_into_itself", "schedule_cancel")


def test_every_label_has_terms(ring, system):
    assert set(system.LABELS) == set(ring.labels)
    assert len(system.actions()) == 55


def test_every_edge_is_a_step_of_the_terms_and_the_other_way_round(system, compared):
    found = compared(system(), *SMALL)
    assert found.wrong == []
    assert (found.states, found.edges, found.blocked) == (1340, 2317, 363)


@pytest.mark.nightly
def test_every_edge_of_every_graph(ring, system, compared):
    sizes = ring.sizes
    found = compared(
        system(), *[name for name in ring.scenarios if 0 < sizes.get(name, 0) < 60_000]
    )
    assert found.wrong == []
    assert found.taken == set(system.actions())


def planted(system, action, change):
    """The system with one way changed."""
    right = system.way

    def way(self, name):
        found = right(self, name)
        if name == action and not hasattr(found, "planted"):
            change(found, self.terms.s, z3.Const("t!", self.WORDS.threads.z3))
            found.planted = True
        return found

    return type("Planted", (system,), {"way": way})()


def test_a_wrong_term_is_named_with_label_and_cell(system, compared):
    def change(way, s, t):
        entry = s.Entry_as_Node[s.ae[t]]
        way.after["prev"] = z3.Store(s.prev, entry, entry)

    found = compared(planted(system, "A5_to_A6", change), "two_adders")
    assert found.wrong
    assert all("A5, A5_to_A6: prev is " in each for each in found.wrong)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda way, s, t: way.guards.append(s.list[s.ae[t]] == s.al[t]), "0 steps, the module 1"),
        (lambda way, s, t: way.guards.pop(), "2 steps, the module 1"),
    ],
    ids=["stronger", "weaker"],
)
def test_a_wrong_guard_is_a_step_too_few_or_too_many(system, compared, change, what):
    found = compared(planted(system, "A3_to_A10", change), "two_adders")
    assert any("A3" in each and what in each for each in found.wrong)


def test_an_obligation_that_fails_is_named(system, compared):
    def change(way, s, t):
        way.obligations.append(s.head[t] == s.TaskList_as_Node[s.fl[t]])

    found = compared(planted(system, "F3_to_K1", change), "flush_into_itself")
    assert any("obligation" in each and "F3_to_K1" in each for each in found.wrong)


# -- what is refused, and what else is read

THREAD = sort("Runner", null="no_runner")
LABEL = Enumeration("RunnerLabel", "Nowhere A B Done")
WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD},
    variables={
        "x": INT,
        "seen": Subset(THREAD),
        "flag": Function(THREAD, BOOL),
        "pc": Words(LABEL),
        "own": INT,
    },
)
HEAD = """
CONSTANTS Threads, NULL
VARIABLES x, seen, flag, pc, stack, own
vars == <<x, seen, flag, pc, stack, own>>
"""
TAIL = """
b(self) == B(self)
B(self) == /\\ pc[self] = "B" /\\ pc' = [pc EXCEPT ![self] = "Done"]
           /\\ UNCHANGED <<x, seen, flag, stack, own>>
Next == \\E self \\in Threads : A(self) \\/ B(self)
"""


def step(body: str) -> str:
    return (
        f'{HEAD}A(self) == /\\ pc[self] = "A" /\\ {body}\n{TAIL.replace("b(self) == B(self)", "")}'
    )


GOES = 'pc\' = [pc EXCEPT ![self] = "B"]'
REST = "UNCHANGED <<seen, flag, stack, own>>"
REFUSED = {
    "choose": (f"x' = (CHOOSE n \\in 0..x : n > 1) /\\ {GOES} /\\ {REST}", "CHOOSE"),
    "no_label": (f"x' = x /\\ {REST} /\\ UNCHANGED pc", "which gives pc no next value"),
    "missing": (
        f"x' = x /\\ {GOES} /\\ UNCHANGED <<seen, stack, own>>",
        "A, which gives flag no next value",
    ),
    "unknown_label": (
        f"x' = x /\\ {REST} /\\ pc' = [pc EXCEPT ![self] = \"C\"]",
        "the label C, which the vocabulary lacks",
    ),
    "stack": (
        f"x' = x /\\ {GOES} /\\ stack' = [stack EXCEPT ![self] = <<>>] "
        "/\\ UNCHANGED <<seen, flag, own>>",
        "this use of the stack",
    ),
    "other_thread": (
        f"x' = x /\\ {REST} /\\ pc' = [pc EXCEPT ![NULL] = \"B\"]",
        "a next value of all threads' pc",
    ),
}


FRAME = '<<[procedure |-> "down", pc |-> "{}", own |-> own[self]]>> \\o stack[self]'
RECURSIVE = f"""{HEAD}
A(self) == /\\ pc[self] = "A"
           /\\ IF own[self] > 0
                 THEN /\\ own' = [own EXCEPT ![self] = own[self] - 1]
                      /\\ stack' = [stack EXCEPT ![self] = {FRAME.format("A")}]
                      /\\ pc' = [pc EXCEPT ![self] = "A"]
                 ELSE /\\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                      /\\ own' = [own EXCEPT ![self] = Head(stack[self]).own]
                      /\\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
           /\\ UNCHANGED <<x, seen, flag>>
down(self) == A(self)
B(self) == /\\ pc[self] = "B"
           /\\ own' = [own EXCEPT ![self] = x]
           /\\ stack' = [stack EXCEPT ![self] = {FRAME.format("Done")}]
           /\\ pc' = [pc EXCEPT ![self] = "A"]
           /\\ UNCHANGED <<x, seen, flag>>
run(self) == B(self)
Next == (\\E self \\in Threads : down(self)) \\/ (\\E self \\in Threads : run(self))
"""
"""A procedure that calls itself: its stack may have any height."""


@pytest.fixture(scope="module")
def written(modules):
    return modules(
        {f"Refused_{name}": step(body) for name, (body, _) in REFUSED.items()}
        | {
            "Read": step(
                "x' = (IF x \\in {1, 2} THEN x + 1 ELSE 0) /\\ seen' = seen \\cup {self}\n"
                "/\\ flag' = [t \\in Threads |-> flag[t] \\/ t \\in seen] /\\ UNCHANGED stack\n"
                "/\\ own' = [own EXCEPT ![self] = @ + x'] /\\ " + GOES
            ),
            "Chosen": step(
                "\\E t \\in Threads : t # self /\\ flag' = [flag EXCEPT ![t] = TRUE] /\\ "
                + GOES
                + " /\\ UNCHANGED <<x, seen, stack, own>>"
            ),
            "Recursive": RECURSIVE,
        }
    )


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_term_is_refused_with_its_place(written, name):
    with pytest.raises(OutsideSubset, match=rf"module Refused_{name}, line \d+: .*") as refused:
        made("Refused", export.load(written[f"Refused_{name}"]), WORDS)
    assert REFUSED[name][1] in str(refused.value)


def test_kinds_of_next_values(written):
    system = made("Read", export.load(written["Read"]), WORDS)
    _, taken = system().step("A_to_B", system().symbols())
    assert set(taken.updates) == {"x", "seen", "flag", "own", "pc"}
    assert set(taken.defined) == {"flag"}


def test_a_choice_is_a_parameter(written):
    system = made("Chosen", export.load(written["Chosen"]), WORDS)
    assert list(system.actions()["A_to_B"].parameters) == ["t", "with_t"]
    _, taken = system().step("A_to_B", system().symbols())
    assert "with_t!" in str(taken.guards)


def test_a_procedure_that_calls_itself_has_a_frame_on_each_level(written):
    system = made("Recursive", export.load(written["Recursive"]), WORDS)()
    s = system.symbols()
    t = z3.Const("t!", THREAD.z3)
    height, own = s.stack_height[t], s.own[t]
    _, entered = system.step("A_to_A", s)
    assert z3.simplify(entered.updates["stack_height"][t]).eq(z3.simplify(height + 1))
    assert z3.simplify(entered.updates["stack_own"][t][height + 1]).eq(own)
    _, left = system.step("A_to_back", s)
    assert z3.simplify(left.updates["stack_height"][t]).eq(z3.simplify(height - 1))
    assert z3.simplify(left.updates["own"][t]).eq(s.stack_own[t][height])
    assert z3.simplify(left.updates["pc"][t]).eq(s.stack_pc[t][height])
    assert str(z3.simplify(left.updates["stack_procedure"][t][height])) == "nothing"


def test_a_search_is_the_recursion_that_it_is_taken_for():
    """`First` of the purgatory is; `From`, which gives all that it finds, is none."""
    module = mechanisms()["purgatory"].compiled.module
    sequences.check_search(module.definition("First"), "NULL")
    with pytest.raises(OutsideSubset, match="From, which is no search,"):
        sequences.check_search(module.definition("From"), "NULL")
    with pytest.raises(OutsideSubset, match="First, which is no search,"):
        sequences.check_search(module.definition("First"), "OTHER")
