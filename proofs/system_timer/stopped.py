"""The conditions of the end of module SystemTimer: steps, ranks, and states in which none can step.

They are put together of the invariants; `system_timer_ended_module` has the theorems.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import z3
from z3 import And, Exists, ForAll, Implies, Not, Or

from proofs.system_timer import waits as waiting
from proofs.system_timer.ended import (
    ALONE,
    CALLS,
    OF_ENDS,
    KeptEnds,
    Ranked,
    cited_ends,
    opened,
)
from proofs.system_timer.ends import Ends
from proofs.system_timer.entries import B
from proofs.system_timer.links import at
from proofs.system_timer.runs import ReachedTimer, small, system
from proofs.system_timer.steps import ENTRY, NO_BUCKET, NO_ENTRY, NO_THREAD, E, T
from proofs.system_timer.waits import REAPS_AT, SOME, SOME_ENTRY
from proofs.system_timer.whole_module import ConditionsOfDues
from wheelproof.prove.invariant.conditions import all_of
from wheelproof.prove.kernel import VC, ProofError
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.solvers import trusted
from wheelproof.prove.ts.concrete import State
from wheelproof.prove.ts.instances import cores

CONSTANTS = ("given", "initially")
"""The prefixes of the names of premises that every proof gets."""
STEPS_NEED = ("proof no_key_has_changed", "polled_is_one", "proof reader_is_adding")
"""The conjuncts that a thread needs to step where it does not wait."""
LOCKED = (*ALONE, *CALLS, "flush_holds_the_monitor")
REAPED = ("links_are_listed", "is_at_its_turn", "reaps_until_it_is_over", "linked_once")
END_NEEDS = {
    "free": LOCKED,
    "unread": LOCKED,
    "places": CALLS,
    "due": (),
    "added": ("adds_are_listed", "is_at_its_turn"),
    "linked": (),
    "in time": (*REAPED, "has_its_place"),
    "all tried": (*REAPED, "has_its_place"),
    "all fired": (*REAPED, "has_its_place", "refused_by_the_shut"),
    "all done": (*REAPED, "proof one_reaper", "link kafka_is_elsewhere"),
}
"""The conjuncts about a state in which no thread can step, by the condition that needs them."""


class Conditions(ConditionsOfDues):
    """The conditions of the invariant of the end: the start, and each label."""

    BASE, KEEPS = Ends, KeptEnds
    HYPOTHESES: tuple[str, ...] = OF_ENDS
    """Conjuncts that are no theorem's statement here, but goals of each step."""
    simulation: KeptEnds

    @trusted()
    def proved(
        self,
        name: str,
        guards: Mapping[str, z3.BoolRef],
        goals: Mapping[str, z3.BoolRef],
        premises: Mapping[str, z3.BoolRef],
    ) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef]:
        """As in the base class. A goal is tried with itself alone first, then with `NEEDS`."""
        simulation = self.simulation
        instances = simulation.instances(name)
        pool = {**premises, **instances, **opened(guards)}
        table: dict[str, dict[int, z3.BoolRef]] = {}
        conclusions, missing = [], []
        for goal_name, goal in goals.items():
            first = {goal_name, *guards, *instances, *simulation.CALLS}
            for names in first, first.union(simulation.NEEDS.get(goal_name, ())):
                near = {
                    premise: f
                    for premise, f in pool.items()
                    if premise in names or _is_constant(premise)
                }
                hints = [*simulation.terms(name), *simulation.further(name, goal_name)]
                by_premise, conclusion, failures = cores(
                    simulation.module, near, {goal_name: goal}, hints, (), self.instances
                )
                if not failures:
                    break
            missing += failures
            conclusions.append(conclusion)
            for premise, formulas in by_premise.items():
                table.setdefault(premise, {}).update(
                    {formula.get_id(): formula for formula in formulas}
                )
        if missing:
            raise ProofError(f"{name}: {', '.join(missing)} does not follow")
        return {premise: [*formulas.values()] for premise, formulas in table.items()}, all_of(
            conclusions
        )

    def cites(self, premises: Mapping[str, z3.BoolRef]) -> dict[str, str]:
        return cited_ends(premises, self.HYPOTHESES)


class ConditionsOfRank(Conditions):
    """The same of the rank: each label, and that no number is below 0."""

    KEEPS, HYPOTHESES = Ranked, ()
    simulation: Ranked

    def above(self) -> VC:
        """No number of the rank is below 0."""
        by_premise, goal = self.proved("above", {}, dict(self.simulation.above()), self.premises)
        premises = {name: And(parts) for name, parts in by_premise.items()}
        return VC("above", premises, goal, self.vivid(("T0_to_A1",)), cites=self.cites(premises))


class ConditionsOfSteps(Conditions):
    """Where a thread does not wait, it can step: one condition for each label."""

    HYPOTHESES = ()
    NEEDS: tuple[str, ...] = STEPS_NEED

    def moves(self, label: str) -> VC:
        """ProofError: it does not follow that a thread can step."""
        module = self.simulation.module
        assert isinstance(module, Ends)
        first, goal = waiting.can_step(module, self.simulation.s, label)
        names = (*self.simulation.CALLS, *self.NEEDS)
        pool = {
            premise: f
            for premise, f in self.premises.items()
            if premise in names or "given" in premise
        }
        by_premise, conclusion, missing = cores(
            module, pool | first, {"can step": simple(goal)}, [SOME, SOME_ENTRY]
        )
        if missing:
            raise ProofError(f"{label}: it does not follow that the module can step")
        premises = {name: And(parts) for name, parts in by_premise.items()}
        ways = module.LABELS[label]
        return VC(label, premises, conclusion, self.vivid(ways), cites=self.cites(premises))


class ConditionsOfTheCounter(Conditions):
    """The counter is the number of linked entries."""

    HYPOTHESES = ()

    def counted(self) -> VC:
        module, s = self.simulation.module, self.simulation.s
        assert isinstance(module, Ends)
        names = ("links_are_listed", "linked_at_home")
        pool = {name: self.premises[name] for name in names}
        goal = simple(module.counter_exact(s))
        by_premise, conclusion, missing = cores(
            module, pool, {"counted": goal}, [z3.Int("any_Int_1")]
        )
        if missing:
            raise ProofError("the counter's list does not follow")
        premises = {name: all_of(parts) for name, parts in by_premise.items()}
        return VC(
            "counted", premises, conclusion, self.vivid(("F2_to_W1",)), cites=self.cites(premises)
        )


class ConditionsOfTheEnd(Conditions):
    """The facts about a state in which no thread can step.

    A condition may have the goals of earlier ones as premises, which cite their theorems.
    """

    HYPOTHESES = ()
    NEEDS: Mapping[str, tuple[str, ...]] = END_NEEDS

    def claims(self) -> dict[str, z3.BoolRef]:
        """The goals of lemmas by name, each followed by the theorem's name."""
        s = self.simulation.s
        due = And(at(s, s.reaper, "R1"), B != NO_BUCKET, s.queue[B] > 0)
        is_linked = And(at(s, s.reaper, "R1"), B != NO_BUCKET, E != NO_ENTRY, s.content[B][E] > 0)
        return {
            "free": And(s.writer == NO_THREAD, s.flushing == NO_BUCKET),
            "unread": ForAll([T], Not(s.readers[T])),
            "places": ForAll([T], Or(T == NO_THREAD, at(s, T, "Done", "R1", "E1"))),
            "due": ForAll([B], Implies(due, s.now < s.key[B])),
            "added": s.adding == 0,
            "linked": ForAll([B, E], Implies(is_linked, s.now < s.Deadline[E])),
        }

    def goal(self, name: str) -> z3.BoolRef:
        """The statement of a condition."""
        module, s = self.simulation.module, self.simulation.s
        assert isinstance(module, Ends)
        is_own = s.timerTaskEntry[s.TaskOf[E]] == E
        is_tried = Or(s.submitted[E] > 0, s.refused[E] > 0, Not(is_own))
        match name:
            case "in time":
                return ForAll([E], Or(E == NO_ENTRY, s.now < s.Deadline[E], is_tried))
            case "all tried":
                return module.specified(s, "AllTried")
            case "all fired":
                return module.specified(s, "AllFired")
            case "all done":
                return ForAll([T], Or(T == NO_THREAD, at(s, T, "Done")))
        return self.claims()[name]

    def further(self, name: str) -> dict[str, z3.BoolRef]:
        """The assumptions of a condition about the state, beside that no thread can step."""
        s = self.simulation.s
        time = {"time has come": waiting.has_come(s)}
        return {
            "all tried": time,
            "all fired": time | {"not shut down": Not(s.shut)},
            "all done": time,
        }.get(name, {})

    def terms(self, name: str) -> list[z3.ExprRef]:
        """The terms that the premises are taken at."""
        s = self.simulation.s
        (e,) = ENTRY.consts("any_Entry_1")
        first, opened_first, number = s.row[1], s.open[1], z3.IntVal(1)
        adder = s.thread_of[opened_first]
        adds = [opened_first, adder, number, s.turn[adder] - 1, s.turn_of[opened_first]]
        reaps = [s.reaper, s.turn[s.reaper] - 1, REAPS_AT]
        match name:
            case "free" | "unread":
                return [s.writer, s.reaper]
            case "added":
                return adds
            case "in time" | "all tried" | "all fired":
                return [*reaps, s.holder[e], s.home[e]]
            case "all done":
                return [*reaps, first, s.home[first], number]
        return [s.reaper]

    def stop(self, name: str, theorems: Mapping[str, str] = {}) -> VC:
        """A condition. ``theorems``: the goals that are premises, with their theorems.

        ProofError: it does not follow.
        """
        module, s = self.simulation.module, self.simulation.s
        assert isinstance(module, Ends)
        claims = {**self.claims(), "late": self.late()}
        names = self.NEEDS[name]
        premises = {
            premise: f
            for premise, f in self.premises.items()
            if premise in names or "given" in premise
        }
        if name == "linked":
            premises = {"link kafka_is_elsewhere": self.premises["link kafka_is_elsewhere"]}
            claims |= {claim: _whole(claims[claim]) for claim in ("unread", "places", "due")}
        else:
            premises |= waiting.stopped(s, module) | self.further(name)
        if name == "places":
            claims["unread"] = _whole(claims["unread"])
        premises |= {claim: claims[claim] for claim in theorems if claim != name}
        by_premise, goal, missing = cores(
            module, premises, {name: simple(self.goal(name))}, self.terms(name)
        )
        if missing:
            raise ProofError(f"{name} does not follow where no thread can step")
        conjunctions = {premise: And(formulas) for premise, formulas in by_premise.items()}
        cites = self.cites(conjunctions) | {
            claim: theorems[claim] for claim in conjunctions if claim in theorems
        }
        exploration, state = at_the_end(self.BASE)
        vivid = [*exploration.in_state(state), REAPS_AT == 1]
        return VC(name, conjunctions, goal, vivid, cites=cites)

    def late(self) -> z3.BoolRef:
        module = self.simulation.module
        assert isinstance(module, Ends)
        return module.lateness_bound(self.simulation.s)


def _is_constant(name: str) -> bool:
    return name.startswith(CONSTANTS)


def _whole(claim: z3.BoolRef) -> z3.BoolRef:
    """A claim about all elements that no instances stand for, in the form of a denial."""
    variables = [
        z3.Const(claim.var_name(place), claim.var_sort(place)) for place in range(claim.num_vars())
    ]
    body = z3.substitute_vars(claim.body(), *reversed(variables))
    return Not(Exists(variables, Not(body)))


@cache
def at_the_end(base: type = Ends) -> tuple[ReachedTimer, State]:
    """A small run's state in which no thread can step, and time has reached each deadline."""
    exploration = ReachedTimer(small(system(base=base).TIMERS)[2], base=base)
    for _, move in exploration.edges():
        if not [*exploration.instance.moves(move.after)]:
            return exploration, move.after
    raise ProofError("no run of the small scenario comes to its end")
