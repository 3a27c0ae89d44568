"""The goals of each way of module SystemTimer so that its runs end, and its effect on the rank.

The premises where a way is taken are the conjuncts on entries, keys and deadlines, and the
invariant of the proof's system as it is seen there. Of them each proof gets those that it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import z3

from proofs.system_timer.ends import Ends
from proofs.system_timer.links import Linked, tick
from proofs.system_timer.ranking import Rank, lowers
from proofs.system_timer.simulation import TimerSimulation
from proofs.system_timer.steps import ENTRY, STATEMENTS, THREAD, E
from proofs.system_timer.whole import OF_DUES, OF_ENTRIES, OF_P10, KeptDues, cited
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.ts.ground import fresh, parts, taken_at

OF_ENDS = tuple(conjunct for conjunct in Ends.conjuncts() if conjunct not in OF_ENTRIES + OF_DUES)
OF_SPEC = ("calls_return", "kafka_is_elsewhere", "thrown_is_caught")
"""Links of the corrected timer alone, which Spec.SystemTimer keeps: they say where calls return."""
CALLS = ("entering_is_called", "level_is_one", *(f"link {name}" for name in OF_SPEC))
"""The premises of every proof of the corrected timer."""

ONCE = ("linked_once", "in_one_place", "in_hand_is_unlinked", "linked_at_home")
ALONE = ("proof one_reaper", "proof writer_works_alone", "proof reader_is_adding", "polled_is_one")
ADDS = ("adds_its_own", "enters_once", "found_was_entered", "is_at_its_turn")
QUEUED = ("proof keyed_means_one_token", "proof token_is_held", f"proof P10 {OF_P10}")
MOVER = z3.Const("t!", THREAD.z3)

OF_RANK = {
    "reach": ("falls", "comes_from_home"),
    "linked": ("linked_once",),
    "queue": (*ALONE, *QUEUED),
    "stage": ("puts_back_what_is_due", "proof no_key_has_changed"),
}
"""Part of the rank -> the conjuncts that it needs."""


class KeptEnds(KeptDues):
    """The conjuncts on the end, of the corrected timer.

    NEEDS: goal -> premises that its proof needs as a rule, beside itself and `CALLS`.
    """

    OWN = OF_ENDS
    CALLS: tuple[str, ...] = CALLS
    """The premises of every proof."""
    NEEDS: Mapping[str, tuple[str, ...]] = {
        "linked_at_home": ONCE,
        "comes_from_home": (*ONCE, *ADDS, "polled_is_one"),
        "reads_its_key": ALONE,
        "flushed_is_due": (
            *(*ONCE, *ALONE, "falls", "reads_its_key", "bucket_has_their_key"),
            *("clocks_are_whole_ticks", "proof key_is_ahead"),
        ),
        "falls": ("polled_is_one", "flushed_is_due", "clocks_fall"),
        "has_its_place": (*ONCE, *ADDS, "handed_once", "refused_by_the_shut"),
        "links_are_listed": ONCE,
        "adds_are_listed": ADDS,
        "is_at_its_turn": ADDS,
        "reaps_until_it_is_over": (*(*ALONE, *ADDS, *ONCE, "adds_are_listed", "links_are_listed"),),
        "puts_back_what_is_due": (*ALONE, *QUEUED),
        "flush_holds_the_monitor": ALONE,
    }

    def premises(self) -> dict[str, z3.BoolRef]:
        conjuncts = {name: self.module.formula(name, self.s) for name in OF_ENDS}
        links = {f"link {name}": getattr(Linked, name)(self.module, self.s) for name in OF_SPEC}
        return super().premises() | conjuncts | links

    def further(self, name: str, goal: str) -> list[z3.ExprRef]:
        """Terms that a goal is proved at, besides those of its condition."""
        s = self.s
        (e,), n, last = ENTRY.consts("any_Entry_1"), z3.Int("any_Int_1"), s.taskCounter
        match goal:
            case "flushed_is_due":
                return [s.linker[e]]
            case "reaps_until_it_is_over":
                return [s.ae[thread] for thread in THREAD.consts("any_Thread_1")]
            case "links_are_listed":
                leaver = {
                    "W2_to_W3": s.ke[MOVER],
                    "A3_to_W1": s.timerTaskEntry[s.TaskOf[s.ae[MOVER]]],
                    "X1_to_back": s.timerTaskEntry[s.ct[MOVER]],
                    "F2_to_W1": z3.Const("first_content!", ENTRY.z3),
                }.get(name, e)
                entries = [e, leaver, s.row[n], s.row[last]]
                homes = [s.home[entry] for entry in entries]
                return [*entries, *homes, n, last, *(s.row_place[entry] for entry in entries)]
        return []

    def instances(self, name: str) -> dict[str, z3.BoolRef]:
        """Theorems on numbers, and the assumptions, where a conjunct on the end needs them."""
        s = self.s
        match name:
            case "A3_to_W1" | "A3_to_W1_2" | "F2_to_W1" | "W0_to_W1" | "W3_to_W4":
                return TimerSimulation.instances(self, name)
            case "R7_to_V1":
                bucket = s.polled[MOVER]
                level = s.level_of[bucket]
                terms = {"c": s.current[level], "T": s.expiration[MOVER], "t": tick(s, level)}
                return {
                    "T5-advance #1": STATEMENTS["T5-advance"].at(terms),
                    "trimmed #1": self.of_keys("trimmed", [E], bucket),
                }
        return {}


class Ranked(KeptEnds):
    """The effects of the ways on the rank. RANK: the numbers of its parts."""

    OWN = ()
    RANK: type[Rank] = Rank
    NEEDS = OF_RANK | {f"lowers {part}": needs for part, needs in OF_RANK.items()}

    @property
    def rank(self) -> Rank:
        assert isinstance(self.module, Ends)
        return self.RANK(self.module)

    def goals(self, name: str) -> Iterator[tuple[str, z3.BoolRef]]:
        values, step = self.step(name)
        after = self.module.after(self.s, step)
        yield from self.rank.goals(name, self.s, after, values["t"])

    def above(self) -> Iterator[tuple[str, z3.BoolRef]]:
        """No number of a part is below 0."""
        for part, formula in self.rank.above(self.s):
            yield part, simple(formula)

    def further(self, name: str, goal: str) -> list[z3.ExprRef]:
        """The entry that the reaper puts back, where it is claimed to be due."""
        return [self.s.polled[MOVER]] if lowers(name, self.RANK.LOWERS) == "stage" else []


def opened(guards: Mapping[str, z3.BoolRef]) -> dict[str, z3.BoolRef]:
    """Guards, and a new constant for each element that one of them says there is."""
    table = {}
    for name, guard in guards.items():
        conjuncts = [
            taken_at(part, fresh(part, "some"))
            if z3.is_quantifier(part) and part.is_exists()
            else part
            for part in parts(guard)
        ]
        table[name] = z3.And(conjuncts)
    return table


def cited_ends(premises: Mapping[str, z3.BoolRef], hypotheses: tuple[str, ...]) -> dict[str, str]:
    """The theorems whose statements are premises, by premise; ``hypotheses``: as for `cited`."""
    theorems = cited(premises, hypotheses)
    theorems |= {name: "Spec.SystemTimer" for name in premises if name.startswith("link ")}
    return theorems | {
        name: "Inv.Ends" for name in premises if name in OF_ENDS and name not in hypotheses
    }
