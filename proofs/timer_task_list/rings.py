"""The rings on pointers: ``next`` and ``prev`` of each node, for any number of entries and threads.

Each ring has a ghost order: a number for each entry that is linked. ``next`` is then the least
entry above, or the sentinel where there is none; ``prev`` is its inverse. While a thread holds the
list's monitor, one pointer may lag behind.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Or

from proofs.timer_task_list.links import Linked, at, entry, node
from proofs.timer_task_list.state import NO_ENTRY, NO_LIST, NO_THREAD, UNLINK, D, E, L, T, between
from wheelproof.prove.ts.system import conjunct


class Rings(Linked):
    """The links, and the rings."""

    def within(self, s: SimpleNamespace, n: z3.ExprRef, l: z3.ExprRef) -> z3.BoolRef:
        """A node is in a list's ring: its sentinel, or an entry that is linked."""
        return Or(n == node(s, l), s.linked[entry(s, n)][l])

    def unlinks_now(self, s: SimpleNamespace, l: z3.ExprRef) -> z3.BoolRef:
        """The holder of a list's monitor has moved one of two pointers past its entry."""
        o = s.listMonitor_owner[l]
        return And(o != NO_THREAD, at(s, o, UNLINK), s.ul[o] == l)

    def links_now(self, s: SimpleNamespace, l: z3.ExprRef) -> z3.BoolRef:
        """The holder of a list's monitor has moved one of two pointers to its entry."""
        o = s.listMonitor_owner[l]
        return And(o != NO_THREAD, at(s, o, "A8"), s.al[o] == l)

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """Besides the links' start: Init makes rings."""
        return [*super().initially(s), *[self.formula(name, s) for name in RINGS]]

    @conjunct
    def places_are_below(self, s: SimpleNamespace) -> z3.BoolRef:
        """Linked entries have places below the next one, and no two of a ring the same."""
        return And(
            ForAll([E, L], Implies(s.linked[E][L], s.place[E] < s.places)),
            ForAll(
                [E, D, L],
                Implies(And(s.linked[E][L], s.linked[D][L], E != D), s.place[E] != s.place[D]),
            ),
        )

    @conjunct
    def next_goes_on(self, s: SimpleNamespace) -> z3.BoolRef:
        """Behind an entry comes one of the same ring with a higher place, or the sentinel."""
        after = s.next[node(s, E)]
        return ForAll(
            [E, L],
            Implies(
                s.linked[E][L],
                Or(
                    after == node(s, L),
                    And(s.linked[entry(s, after)][L], s.place[E] < s.place[entry(s, after)]),
                ),
            ),
        )

    @conjunct
    def next_skips_none(self, s: SimpleNamespace) -> z3.BoolRef:
        """No entry of the ring is between an entry and the one behind it."""
        after = entry(s, s.next[node(s, E)])
        return ForAll(
            [E, D, L],
            Implies(
                And(s.linked[E][L], s.linked[D][L], s.place[E] < s.place[D]),
                And(after != NO_ENTRY, s.place[after] <= s.place[D]),
            ),
        )

    @conjunct
    def head_is_in_the_ring(self, s: SimpleNamespace) -> z3.BoolRef:
        """Behind the sentinel comes an entry of its ring, or itself."""
        return ForAll([L], Implies(L != NO_LIST, self.within(s, s.next[node(s, L)], L)))

    @conjunct
    def head_is_the_first(self, s: SimpleNamespace) -> z3.BoolRef:
        """Behind the sentinel comes the entry of the lowest place, if there is any."""
        first = entry(s, s.next[node(s, L)])
        return ForAll(
            [D, L],
            Implies(s.linked[D][L], And(first != NO_ENTRY, s.place[first] <= s.place[D])),
        )

    @conjunct
    def prev_undoes_next(self, s: SimpleNamespace) -> z3.BoolRef:
        """The entry behind a node points back to it, but for the pointer that lags behind."""
        o = s.listMonitor_owner[L]
        lags = Or(
            And(self.unlinks_now(s, L), s.ue[o] == E), And(self.links_now(s, L), s.ae[o] == E)
        )
        return And(
            ForAll(
                [E, L],
                Implies(s.linked[E][L], Or(s.prev[s.next[node(s, E)]] == node(s, E), lags)),
            ),
            ForAll([L], Implies(L != NO_LIST, s.prev[s.next[node(s, L)]] == node(s, L))),
        )

    @conjunct
    def next_undoes_prev(self, s: SimpleNamespace) -> z3.BoolRef:
        """A node's ``prev`` is in its ring and points to it, but for one that lags behind."""
        o = s.listMonitor_owner[L]

        def lags(n: z3.ExprRef) -> z3.BoolRef:
            return And(self.unlinks_now(s, L), s.next[node(s, s.ue[o])] == n)

        def right(n: z3.ExprRef) -> z3.BoolRef:
            return And(self.within(s, s.prev[n], L), s.next[s.prev[n]] == n)

        return And(
            ForAll([E, L], Implies(s.linked[E][L], Or(right(node(s, E)), lags(node(s, E))))),
            ForAll(
                [L],
                Implies(
                    L != NO_LIST, Or(right(node(s, L)), lags(node(s, L)), self.links_now(s, L))
                ),
            ),
        )

    @conjunct
    def adder_has_the_tail(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that links an entry has the ring's last node, and then the entry's pointers."""
        a, l, e = s.tail[T], node(s, s.al[T]), node(s, s.ae[T])
        return ForAll(
            [T],
            And(
                Implies(
                    at(s, T, *between("A4", "A7")),
                    And(self.within(s, a, s.al[T]), s.next[a] == l, s.prev[l] == a),
                ),
                Implies(at(s, T, *between("A5", "A8")), s.next[e] == l),
                Implies(at(s, T, "A6", "A7"), s.prev[e] == a),
                Implies(at(s, T, "A8"), s.linked[s.ae[T]][s.al[T]]),
            ),
        )

    @conjunct
    def unlinker_has_moved_prev(self, s: SimpleNamespace) -> z3.BoolRef:
        """At the unlink the node behind the entry points past it."""
        e = node(s, s.ue[T])
        return ForAll(
            [T],
            Implies(
                at(s, T, UNLINK),
                And(
                    s.prev[s.next[e]] == s.prev[e],
                    self.within(s, s.prev[e], s.ul[T]),
                    s.next[s.prev[e]] == e,
                ),
            ),
        )

    def ring_well_formed(self, s: SimpleNamespace) -> z3.BoolRef:
        """RingWellFormed of the module: a closed ring, and next and prev undo each other."""

        def right(n: z3.ExprRef) -> z3.BoolRef:
            return And(
                self.within(s, s.next[n], L),
                s.prev[s.next[n]] == n,
                self.within(s, s.prev[n], L),
                s.next[s.prev[n]] == n,
            )

        free = And(L != NO_LIST, s.listMonitor_owner[L] == NO_THREAD)
        return And(
            ForAll([L], Implies(free, right(node(s, L)))),
            ForAll([E, L], Implies(And(free, s.linked[E][L]), right(node(s, E)))),
        )


RINGS = (
    "places_are_below",
    "next_goes_on",
    "next_skips_none",
    "head_is_in_the_ring",
    "head_is_the_first",
    "prev_undoes_next",
    "next_undoes_prev",
)
"""The conjuncts that Init makes true: no thread has begun, and each ring is closed."""
