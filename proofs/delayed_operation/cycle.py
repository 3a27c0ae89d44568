"""Two callers of TryPending may try for ever while the operation's condition does not hold.

It is a theorem of module DelayedOperation itself: a run that comes back to its own state. In it
both callers take steps, and every other thread has ended. So the run is fair to each thread, and
Termination does not follow from fairness. The steps are terms, for any number of threads and
operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.delayed_operation.ghosts import NO_OPERATION, Stacked, at
from proofs.delayed_operation.module import module_digest
from proofs.delayed_operation.runs import NAME, Reached, Rung, rung, system
from proofs.delayed_operation.steps import NO_THREAD, THREAD, T
from proofs.delayed_operation.theory import THEORY as PROVED
from proofs.delayed_operation.words import BEGUN, OPERATION, PROTOCOL
from wheelproof.prove.kernel import VC, Control, Found, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module import levels
from wheelproof.prove.module.shapes import blank
from wheelproof.prove.module.simulation import same, simple
from wheelproof.prove.ts.concrete import State

A, B = THREAD.consts("caller second_caller")
(O,) = OPERATION.consts("tried")

BEGIN = (("a", "T0_to_P1"), ("b", "T0_to_P1"))
"""The steps by which both callers begin their attempts."""
ROUND = (
    ("a", "P1_to_P2"),
    ("a", "P2_to_Y1"),
    ("b", "P1_to_P5"),
    ("b", "P5_to_P6"),
    ("b", "P6_to_P1"),
    ("a", "Y1_to_back"),
    ("a", "P3_to_P4"),
    ("a", "P4_to_P6"),
    ("a", "P6_to_P1"),
)
"""The steps of a round: the one looks while the other leaves a note, and both try again."""
SET = ("pending", "retry")
"""Variables that the first round may change; a further round changes nothing."""


class Cycle:
    """The round as terms, from a state that `callers` describes."""

    @cached_property
    def module(self) -> Stacked:
        return system()()

    @cached_property
    def s(self) -> SimpleNamespace:
        return self.module.symbols()

    # -- the states

    def operation(self, s: SimpleNamespace) -> dict[str, z3.BoolRef]:
        """An open operation of TryPending, with a lock of its own, and its condition false."""
        return {
            "two callers": And(A != B, A != NO_THREAD, B != NO_THREAD, O != NO_OPERATION),
            "of TryPending": And(s.Protocol[O] == PROTOCOL.TryPending, Not(s.Guard_has[O])),
            "the condition is false": And(s.Needs_length[O] >= 1, Not(s.ready[s.Needs_item[O][1]])),
            "open": And(Not(s.completed[O]), s.lock_owner[O] == NO_THREAD, s.lock_depth[O] == 0),
            "others have ended": ForAll(
                [T], Implies(And(T != NO_THREAD, T != A, T != B), at(s, T, "Done"))
            ),
        }

    def blank_above(self, s: SimpleNamespace, t: z3.ExprRef, height: int) -> z3.BoolRef:
        """A thread's stack has so many frames, and nothing on the two levels above."""
        fields = levels.fields(
            self.module.MODULE.name, self.module.WORDS, self.module.PROCEDURES, self.module.SHAPES
        )
        empty = [
            getattr(s, name)[t][level] == blank(shape)
            for name, shape in fields.items()
            for level in range(height + 1, 3)
        ]
        return And(s.stack_height[t] == height, *empty)

    def begins(self, s: SimpleNamespace) -> dict[str, z3.BoolRef]:
        """Both are about to begin an attempt."""
        premises = self.operation(s)
        for name, t in (("first", A), ("second", B)):
            k = s.turn[t]
            premises[f"the {name} begins"] = And(
                at(s, t, "T0"),
                1 <= k,
                k <= s.Program_length[t],
                s.Program_1_word[t][k] == BEGUN.value("attempt"),
                s.Program_last_Operation[t][k] == O,
                Not(s.gaveUp[t]),
                self.blank_above(s, t, 0),
            )
        return premises

    def callers(self, s: SimpleNamespace) -> dict[str, z3.BoolRef]:
        """Both are about to try to take the lock, which is free."""
        premises = self.operation(s)
        for name, t in (("first", A), ("second", B)):
            premises[f"the {name} tries"] = And(
                at(s, t, "P1"),
                s.po[t] == O,
                Not(s.raised[t]),
                Not(s.gaveUp[t]),
                self.blank_above(s, t, 1),
            )
        return premises

    # -- the steps

    def guards(self, name: str, before: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """A thread can take a way in a state that is given as terms."""
        return self.placed(And(list(self.module.step(name, self.s)[1].guards)), before, t)

    def after(self, name: str, before: SimpleNamespace, t: z3.ExprRef) -> SimpleNamespace:
        """The state after a way, as terms."""
        step = self.module.step(name, self.s)[1]
        updates = {
            variable: self.placed(value, before, t) for variable, value in step.updates.items()
        }
        return SimpleNamespace(**(vars(before) | updates))

    def placed(self, term: Any, before: SimpleNamespace, t: z3.ExprRef) -> Any:
        """A term about the state `s` and the thread that moves, about these instead."""
        renaming = [(z3.Const("t!", THREAD.z3), t)]
        changes = [
            (symbol, getattr(before, name))
            for name, symbol in vars(self.s).items()
            if not symbol.eq(getattr(before, name))
        ]
        return simple(z3.substitute(term, *renaming, *changes))

    def states(
        self, steps: tuple[tuple[str, str], ...], state: SimpleNamespace
    ) -> Iterator[tuple[SimpleNamespace, str, z3.ExprRef]]:
        """Each step: the state before it, the way and its thread. Then the last state."""
        for thread, name in steps:
            t = A if thread == "a" else B
            yield state, name, t
            state = self.after(name, state, t)
        yield state, "", A

    @cached_property
    def first(self) -> list[tuple[SimpleNamespace, str, z3.ExprRef]]:
        return [*self.states(BEGIN, self.s)]

    @cached_property
    def round(self) -> list[tuple[SimpleNamespace, str, z3.ExprRef]]:
        return [*self.states(ROUND, self.s)]

    # -- the conditions

    def condition(self, name: str, premises: dict[str, z3.BoolRef], goal: z3.BoolRef) -> VC:
        """A condition whose premises hold in a reached state."""
        formulas = callers_reached(len(BEGIN) if premises.keys() == self.tries.keys() else 0)
        names = zip((A, B, O), ("Thread_a", "Thread_b", "Operation_o"), strict=True)
        vivid = [constant == z3.Const(witness, constant.sort()) for constant, witness in names]
        return VC(name, premises, goal, [*formulas, *vivid])

    @cached_property
    def tries(self) -> dict[str, z3.BoolRef]:
        return self.callers(self.s)

    def begun(self) -> VC:
        """Both begin, and then both are about to try."""
        guards = [self.guards(name, state, t) for state, name, t in self.first[:-1]]
        goal = And(*guards, *map(simple, self.callers(self.first[-1][0]).values()))
        return self.condition("begin", self.begins(self.s), goal)

    def step(self, number: int) -> VC:
        """A step of the round can be taken."""
        state, name, t = self.round[number - 1]
        return self.condition(step_name(number), self.tries, self.guards(name, state, t))

    def closed(self) -> VC:
        """The round ends in the state in which it began, but that there is a note to try again.

        Where there was one, all is as it was.
        """
        last = self.round[-1][0]
        equations = [
            simple(same(simple(getattr(last, name)), getattr(self.s, name)))
            for name in self.module.VARIABLES
            if name not in Stacked.VARIABLES and name not in SET
        ]
        notes = z3.Store(self.s.pending, O, True)
        again = z3.Store(z3.Store(self.s.retry, A, True), B, True)
        goal = And(*equations, same(last.pending, notes), same(last.retry, again))
        return self.condition("round", self.tries, goal)

    def stays_open(self) -> VC:
        """In no state of the round the operation is completed, or a caller has ended."""
        formulas = [
            Not(Or(state.completed[O], at(state, A, "Done"), at(state, B, "Done")))
            for state, _, _ in self.round
        ]
        return self.condition("open", self.tries, simple(And(formulas)))

    def others_rest(self) -> VC:
        """No step of a thread that has ended can be taken: fairness owes it nothing."""
        t = z3.Const("ended", THREAD.z3)
        every = Or([self.guards(name, self.s, t) for name in self.module.actions()])
        goal = Implies(And(t != NO_THREAD, t != A, t != B), Not(every))
        return self.condition("others", self.tries, goal)


def step_name(number: int) -> str:
    """The name of a step of the round, as its condition has it."""
    thread, name = ROUND[number - 1]
    return f"{number} {name} of {thread}"


# -- the same steps in small runs


CALLERS = rung({"o": "TryPending c1"}, {}, a="attempt o", b="attempt o")


def callers_reached(steps: int) -> list[z3.BoolRef]:
    """The constraints of the state of a small run after so many steps of `BEGIN`."""
    exploration = Reached(CALLERS, "o")
    state = exploration.start
    for thread, name in BEGIN[:steps]:
        after = taken(exploration, state, thread, name)
        assert after is not None
        state = after
    return exploration.in_state(state)


def taken(exploration: Reached, state: State, thread: str, name: str) -> State | None:
    """The state after a step, None where it cannot be taken."""
    if name not in exploration.system.actions():
        return None
    number = exploration.instance.number["Thread"][thread]
    return exploration.instance.take(name, state, (number,))


def stopped(run: Rung, begin: tuple[tuple[str, str], ...], old: str = "", new: str = "") -> str:
    """The condition that a run breaks which is to go round twice; "" where it does so.

    The second round is named by its steps, too.
    """
    exploration = Reached(run, "o", old, new)
    state: State | None = exploration.start
    for thread, name in begin:
        assert state is not None
        state = taken(exploration, state, thread, name)
        if state is None:
            return "begin"
    states = []
    for _ in range(2):
        for number, (thread, name) in enumerate(ROUND, 1):
            assert state is not None
            state = taken(exploration, state, thread, name)
            if state is None:
                return step_name(number)
        states.append(of_module(exploration, state))
    return "" if states[0] == states[1] else "round"


def of_module(exploration: Reached, state: State | None) -> tuple[Any, ...]:
    """A state without the ghosts, which the module does not have."""
    assert state is not None
    names = exploration.system.VARIABLES
    return tuple(
        value for name, value in zip(names, state, strict=True) if name not in Stacked.VARIABLES
    )


@dataclass(frozen=True)
class Planted:
    """A fault of the module, or another scenario: which condition its run must break."""

    name: str
    says: str
    breaks: str
    old: str = ""
    new: str = ""
    run: Rung = CALLERS
    begin: tuple[tuple[str, str], ...] = BEGIN

    def find(self, _seed: int) -> Found:
        violation = stopped(self.run, self.begin, self.old, self.new)
        if not violation:
            return Found("unsat", "the run goes round")
        return Found("sat", violation, "" if violation == self.breaks else f"not {self.breaks}")


_LEFT = "/\\ retry' = [retry EXCEPT ![self] = ~pending[po[self]]]\n"
_CLEARED = "pending' = [pending EXCEPT ![po[self]] = FALSE]\n"
FAULTS = (
    Planted(
        "waits",
        "a caller waits for the lock and leaves no note",
        step_name(3),
        "IF Holder(po[self]) \\in {NULL, self}\n",
        "IF TRUE\n",
    ),
    Planted(
        "note alone",
        "who leaves a note does not try again",
        step_name(5),
        _LEFT,
        "/\\ retry' = [retry EXCEPT ![self] = FALSE]\n",
    ),
    Planted(
        "keeps the note",
        "who gets the lock does not clear the note",
        step_name(5),
        _CLEARED,
        "pending' = pending\n",
    ),
    Planted(
        "reads no note",
        "who gives the lock back does not look at the note",
        step_name(9),
        "retry EXCEPT ![self] = pending[po[self]]]\n",
        "retry EXCEPT ![self] = FALSE]\n",
    ),
    Planted(
        "condition holds",
        "the operation can complete",
        step_name(6),
        run=rung({"o": "TryPending c1"}, {}, a="deliver c1 o", b="attempt o"),
        begin=(("a", "T0_to_E1"), ("a", "E1_to_P1"), ("b", "T0_to_P1")),
    ),
)

OF = Cycle()
THEORY = Theory("protocols.delayed_operation_cycle", mechanism=NAME, after=(PROVED,))
THEORY.theorem(
    "Spec.TryPendingCycle",
    f"Of module DelayedOperation, as SANY has read it (SHA-256 {module_digest()}): two callers of "
    "an open operation of TryPending whose condition does not hold can go round for ever. Both "
    "take steps in each round, and the others have ended. The round ends where it began.",
    [
        LateVC("begin", OF.begun),
        *[LateVC(step_name(n), partial(OF.step, n)) for n in range(1, len(ROUND) + 1)],
        LateVC("round", OF.closed),
        LateVC("open", OF.stays_open),
        LateVC("others", OF.others_rest),
    ],
    [Control(fault.name, fault.says, fault.find, "trace") for fault in FAULTS],
    assumes=(*ATOMIC, "A-FAIR"),
    profile="nightly",
)
