"""The steps of threads on the purgatory's lists: sections under shards' locks, and traversals.

Of a list only its key, and whether the viewed operation is in it, matter. Others come and go.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, If, Not, Or, Store

from proofs.purgatory.state import (
    KEY,
    NO_KEY,
    NO_LIST,
    NO_SHARD,
    NO_THREAD,
    RESULT,
    THREAD,
    TOUR,
    WATCHERS,
    Seen,
    go,
    go_sec,
    go_tour,
    in_sec,
    is_at,
    rests,
    tours,
    waits,
)
from proofs.purgatory.steps import NO, YES
from wheelproof.prove.ts.system import Step, action, when


class ListSteps(Seen):
    """The steps of threads at shards, and in the lists that they have from them."""

    def comes(
        self, s: SimpleNamespace, t: z3.ExprRef, place: str, k: z3.ExprRef
    ) -> dict[str, z3.ExprRef]:
        """The updates of a thread that is to take the lock of a key's shard."""
        return {
            "section": go_sec(s, t, place),
            "key": Store(s.key, t, k),
            "room": Store(s.room, t, s.shard_of[k]),
        }

    def shuts(self, s: SimpleNamespace, t: z3.ExprRef, place: str, then: str) -> Step:
        """The step of a thread that waits for its shard's lock and gets it."""
        return when(
            in_sec(s, t, place),
            s.shut[s.room[t]] == NO_THREAD,
            section=go_sec(s, t, then),
            shut=Store(s.shut, s.room[t], t),
        )

    def opens(self, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The updates of giving the shard's lock back."""
        return {
            "section": go_sec(s, t, "Aside"),
            "shut": Store(s.shut, s.room[t], NO_THREAD),
            "room": Store(s.room, t, NO_SHARD),
            "key": Store(s.key, t, NO_KEY),
            "found": Store(s.found, t, NO_LIST),
        }

    # -- watchForOperation

    @action(t=THREAD, k=KEY)
    def is_to_watch_key(self, s: SimpleNamespace, t: z3.ExprRef, k: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "W"),
            in_sec(s, t, "Aside"),
            s.keyed[k],
            s.home[k] == NO_LIST,
            Not(s.completed),
            **self.comes(s, t, "W2", k),
        )

    @action(t=THREAD, k=KEY, begins=True)
    def comes_to_watch_another(self, s: SimpleNamespace, t: z3.ExprRef, k: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Idle", "L6"), in_sec(s, t, "Aside"), **self.comes(s, t, "W2", k))

    @action(t=THREAD)
    def shuts_to_watch(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return self.shuts(s, t, "W2", "W3")

    @action(t=THREAD)
    def finds_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        has = s.list_of[s.key[t]]
        return when(
            in_sec(s, t, "W3"),
            has != NO_LIST,
            section=go_sec(s, t, "W5"),
            found=Store(s.found, t, has),
        )

    @action(t=THREAD, w=WATCHERS)
    def makes_list(self, s: SimpleNamespace, t: z3.ExprRef, w: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "W3"),
            s.list_of[s.key[t]] == NO_LIST,
            Not(s.made[w]),
            s.key_of[w] == s.key[t],
            section=go_sec(s, t, "W4"),
            found=Store(s.found, t, w),
            made=Store(s.made, w, True),
        )

    @action(t=THREAD)
    def puts_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "W4"),
            section=go_sec(s, t, "W5"),
            list_of=Store(s.list_of, s.key[t], s.found[t]),
        )

    @action(t=THREAD)
    def adds(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "W5"),
            is_at(s, t, "W"),
            section=go_sec(s, t, "W6"),
            has=Store(s.has, s.found[t], True),
            home=Store(s.home, s.key[t], s.found[t]),
        )

    @action(t=THREAD)
    def adds_another(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "W5"), Not(is_at(s, t, "W")), section=go_sec(s, t, "W6"))

    @action(t=THREAD)
    def opens_after_watching(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "W6"), **self.opens(s, t))

    # -- checkAndComplete

    @action(t=THREAD, k=KEY, begins=True)
    def delivers(self, s: SimpleNamespace, t: z3.ExprRef, k: z3.ExprRef) -> Step:
        return when(rests(s, t), ready=YES, **self.comes(s, t, "C1", k))

    @action(t=THREAD, k=KEY, begins=True)
    def checks(self, s: SimpleNamespace, t: z3.ExprRef, k: z3.ExprRef) -> Step:
        return when(rests(s, t), **self.comes(s, t, "C1", k))

    @action(t=THREAD)
    def shuts_to_check(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return self.shuts(s, t, "C1", "C2")

    @action(t=THREAD)
    def gets_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "C2"),
            section=go_sec(s, t, "C3"),
            found=Store(s.found, t, s.list_of[s.key[t]]),
        )

    @action(t=THREAD)
    def opens_to_traverse(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        none = s.found[t] == NO_LIST
        return when(
            in_sec(s, t, "C3"),
            tour=Store(s.tour, t, If(none, TOUR.Out, TOUR.C4)),
            on=Store(s.on, t, s.found[t]),
            **self.opens(s, t),
        )

    def ends_tour(self, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The updates of a thread that is through with its list."""
        return {
            "tour": go_tour(s, t, "Out"),
            "on": Store(s.on, t, NO_LIST),
            "passed": Store(s.passed, t, False),
        }

    def is_not_ahead(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return Or(Not(waits(s)), Not(s.has[s.on[t]]), s.passed[t])

    @action(t=THREAD)
    def sees_more(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(tours(s, t, "C4"), tour=go_tour(s, t, "C0"))

    @action(t=THREAD)
    def sees_no_more(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(tours(s, t, "C4"), self.is_not_ahead(s, t), **self.ends_tour(s, t))

    @action(t=THREAD)
    def sees_the_end(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        """Another operation is given, and none found behind it: a later one is not met."""
        here = tours(s, t, "C0")
        return when(here, self.is_not_ahead(s, t), passed=Store(s.passed, t, waits(s)))

    @action(t=THREAD)
    def is_through(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        """The traversal ends behind another operation."""
        return when(tours(s, t, "C0"), Or(Not(waits(s)), s.passed[t]), **self.ends_tour(s, t))

    @action(t=THREAD)
    def meets_it(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            tours(s, t, "C0"),
            Or(Not(waits(s)), And(s.has[s.on[t]], Not(s.passed[t]))),
            tour=go_tour(s, t, "C5"),
            passed=Store(s.passed, t, waits(s)),
        )

    @action(t=THREAD)
    def is_to_try(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            tours(s, t, "C5"), Not(s.completed), tour=go_tour(s, t, "C6"), at=go(s, t, "B1")
        )

    @action(t=THREAD)
    def need_not_try_it(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(tours(s, t, "C5"), s.completed, tour=go_tour(s, t, "C7"))

    @action(t=THREAD)
    def goes_on(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(tours(s, t, "C6"), s.result[t] == RESULT.lost, tour=go_tour(s, t, "C0"))

    @action(t=THREAD)
    def goes_on_to_the_end(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(tours(s, t, "C6"), s.result[t] == RESULT.lost, **self.ends_tour(s, t))

    @action(t=THREAD)
    def has_completed_it(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            tours(s, t, "C6"),
            s.result[t] == RESULT.won,
            tour=go_tour(s, t, "C7"),
            result=Store(s.result, t, RESULT.lost),
        )

    @action(t=THREAD)
    def unwinds(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            tours(s, t, "C6"),
            s.result[t] == RESULT.raised,
            result=Store(s.result, t, RESULT.lost),
            **self.ends_tour(s, t),
        )

    @action(t=THREAD)
    def another_raises(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        """Another operation's onComplete raises, and those behind it in the list are not tried."""
        return when(tours(s, t, "C0"), **self.ends_tour(s, t))

    @action(t=THREAD)
    def takes_out(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(tours(s, t, "C7"), tour=go_tour(s, t, "C0"), has=Store(s.has, s.on[t], False))

    @action(t=THREAD)
    def takes_out_last(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(tours(s, t, "C7"), has=Store(s.has, s.on[t], False), **self.ends_tour(s, t))

    # -- removeKeyIfEmpty and purgeCompleted

    @action(t=THREAD, w=WATCHERS, begins=True)
    def comes_to_remove(self, s: SimpleNamespace, t: z3.ExprRef, w: z3.ExprRef) -> Step:
        return when(
            rests(s, t),
            s.made[w],
            found=Store(s.found, t, w),
            **self.comes(s, t, "R1", s.key_of[w]),
        )

    @action(t=THREAD)
    def shuts_to_remove(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return self.shuts(s, t, "R1", "R2")

    @action(t=THREAD)
    def is_its_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "R2"), s.list_of[s.key[t]] == s.found[t], section=go_sec(s, t, "R3")
        )

    @action(t=THREAD)
    def has_another_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "R2"), s.list_of[s.key[t]] != s.found[t], section=go_sec(s, t, "R5")
        )

    @action(t=THREAD)
    def finds_it_empty(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "R3"), Not(s.has[s.found[t]]), section=go_sec(s, t, "R4"))

    @action(t=THREAD)
    def finds_it_used(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "R3"), section=go_sec(s, t, "R5"))

    @action(t=THREAD)
    def removes_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "R4"),
            section=go_sec(s, t, "R5"),
            list_of=Store(s.list_of, s.key[t], NO_LIST),
        )

    @action(t=THREAD)
    def opens_after_removing(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "R5"), **self.opens(s, t))

    @action(t=THREAD, w=WATCHERS, begins=True)
    def purges(self, s: SimpleNamespace, t: z3.ExprRef, w: z3.ExprRef) -> Step:
        return when(rests(s, t), s.completed, has=Store(s.has, w, False))

    # -- cancelForKey

    @action(t=THREAD, k=KEY, begins=True)
    def comes_to_cancel(self, s: SimpleNamespace, t: z3.ExprRef, k: z3.ExprRef) -> Step:
        return when(rests(s, t), **self.comes(s, t, "F1", k))

    @action(t=THREAD)
    def shuts_to_cancel(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return self.shuts(s, t, "F1", "F2")

    @action(t=THREAD)
    def drops_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        has = s.list_of[s.key[t]]
        return when(
            in_sec(s, t, "F2"),
            has != NO_LIST,
            section=go_sec(s, t, "F3"),
            found=Store(s.found, t, has),
            dropped=Store(s.dropped, has, True),
            dropper=Store(s.dropper, has, t),
            list_of=Store(s.list_of, s.key[t], NO_LIST),
        )

    @action(t=THREAD)
    def has_no_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "F2"), s.list_of[s.key[t]] == NO_LIST, section=go_sec(s, t, "F6"))

    @action(t=THREAD)
    def reads_dropped(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "F3"),
            section=go_sec(s, t, "F4"),
            takes=Store(s.takes, t, And(waits(s), s.has[s.found[t]])),
        )

    @action(t=THREAD)
    def reads_nothing(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "F3"), Not(s.has[s.found[t]]), section=go_sec(s, t, "F6"))

    @action(t=THREAD)
    def takes_it(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "F4"),
            Or(Not(waits(s)), s.takes[t]),
            section=go_sec(s, t, "FX"),
            revoked=YES,
            passed=s.unset,
            takes=s.unset,
        )

    @action(t=THREAD)
    def cancels_taken(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "FX"), section=go_sec(s, t, "F5"), armed=NO)

    @action(t=THREAD)
    def drops_taken(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "F5"),
            section=go_sec(s, t, "F4"),
            has=Store(s.has, s.found[t], False),
        )

    @action(t=THREAD)
    def drops_last(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "F5"), section=go_sec(s, t, "F6"), has=Store(s.has, s.found[t], False)
        )

    @action(t=THREAD)
    def has_dropped_all(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "F4"), Not(s.takes[t]), section=go_sec(s, t, "F6"))

    @action(t=THREAD)
    def opens_after_cancelling(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            in_sec(s, t, "F6"),
            dropper=Store(s.dropper, s.found[t], NO_THREAD),
            **self.opens(s, t),
        )
