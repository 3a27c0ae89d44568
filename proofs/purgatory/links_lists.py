"""The links of the states of module Purgatory to those of the proof, as an invariant: the lists.

A list is its key and its number. Nothing moves in a list: an operation that leaves it is null at
its place. So the viewed operation is at one place of one list of a key, and an iterator has passed
it or has not.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.purgatory.ghosts import L, M, at, bottom, every_thread
from proofs.purgatory.links import OnStacks
from proofs.purgatory.state import NO_KEY, K, T
from proofs.purgatory.words import NO_OPERATION
from wheelproof.prove.ts.system import conjunct


def listed(
    s: SimpleNamespace, key: z3.ExprRef, number: z3.ExprRef, place: z3.ExprRef
) -> z3.ExprRef:
    """The operation at a place of a list."""
    return s.content_item_item[key][number][place]


class Linked(OnStacks):
    """The system with all links as conjuncts of an invariant."""

    def made(self, s: SimpleNamespace, key: z3.ExprRef, number: z3.ExprRef) -> z3.BoolRef:
        """A list that was made for a key."""
        return And(key != NO_KEY, 1 <= number, number <= s.content_length[key])

    @conjunct
    def lists_are_made(self, s: SimpleNamespace) -> z3.BoolRef:
        """A key's list is one that was made for it. Threads have lists that were made."""
        number, key = s.found[T], s.KeysOf_item[s.ao[T]][s.nth[T]]
        return And(
            ForAll(
                [K],
                And(0 <= s.list[K], s.list[K] <= s.content_length[K]),
            ),
            every_thread(
                And(
                    Implies(at(s, T, "W4", "W5", "W6"), self.made(s, key, number)),
                    Implies(at(s, T, "R1", "R2", "R3", "R4", "R5"), self.made(s, s.rk[T], s.rw[T])),
                    Implies(
                        at(s, T, "C3"),
                        Or(s.mine[T] == 0, self.made(s, s.ck[T], s.mine[T])),
                    ),
                    Implies(at(s, T, "F1", "F2"), s.gone[T] == 0),
                    Implies(at(s, T, "F6"), Or(s.gone[T] == 0, self.made(s, s.fk[T], s.gone[T]))),
                )
            ),
        )

    @conjunct
    def nothing_is_behind_a_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """There is nothing behind the last place of a list, and none of lists not made."""
        there = listed(s, K, L, M) != NO_OPERATION
        length = s.content_item_length[K][L]
        outside = Or(L < 1, L > s.content_length[K])
        return And(
            ForAll([K, L], And(0 <= length, Implies(outside, length == 0))),
            ForAll([K, L, M], Implies(there, And(1 <= M, M <= length))),
        )

    @conjunct
    def viewed_is_at_its_place(self, s: SimpleNamespace) -> z3.BoolRef:
        """The viewed operation is in one list of a key at most, at one place."""
        is_viewed = listed(s, K, L, M) == s.viewed
        return ForAll([K, L, M], Implies(is_viewed, And(L == s.home[K], M == s.spot[K])))

    @conjunct
    def home_is_a_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """The list that the viewed operation was added to was made, and is that of its places."""
        home, spot = s.home[K], s.spot[K]
        return And(
            ForAll(
                [K],
                And(
                    0 <= home,
                    home <= s.content_length[K],
                    Implies(home != 0, And(1 <= spot, spot <= s.content_item_length[K][home])),
                ),
            ),
            ForAll([K, L], s.places[s.viewed][K][L] == And(L != 0, home == L)),
        )

    def iterates(
        self,
        s: SimpleNamespace,
        list_: tuple[z3.ExprRef, z3.ExprRef],
        ahead: tuple[z3.ExprRef, z3.ExprRef],
        here: tuple[z3.ExprRef, z3.ExprRef],
        labels: tuple[z3.BoolRef, z3.BoolRef, z3.BoolRef],
    ) -> z3.BoolRef:
        """The state of a list's iterator: its next operation, and its last one, or null by then.

        ``labels``: where it has looked ahead, is to give the next one, and has given one.
        """
        (key, number), (place, operation), (past, last) = list_, ahead, here
        length = s.content_item_length[key][number]

        def is_there(at_: z3.ExprRef, term: z3.ExprRef) -> z3.BoolRef:
            item = listed(s, key, number, at_)
            spot = And(s.home[key] == number, s.spot[key] == at_)
            return And(
                at_ <= length,
                Or(item == NO_OPERATION, item == term),
                Implies(term == s.viewed, spot),
            )

        has_looked, is_to_give, has_given = labels
        return And(
            Implies(
                has_looked,
                And(
                    0 <= place,
                    (place == 0) == (operation == NO_OPERATION),
                    Implies(place != 0, is_there(place, operation)),
                ),
            ),
            Implies(is_to_give, place != 0),
            Implies(
                has_given,
                And(
                    1 <= past,
                    last != NO_OPERATION,
                    is_there(past, last),
                    Or(place == 0, past < place),
                ),
            ),
        )

    @conjunct
    def traversal_is_in_its_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """The iterator of checkAndComplete."""
        within = And(bottom(s, T, "checkAndComplete"), Not(at(s, T, "C1", "C2", "C3")))
        has_looked = And(within, Not(at(s, T, "C4")))
        return every_thread(
            And(
                Implies(within, self.made(s, s.ck[T], s.mine[T])),
                self.iterates(
                    s,
                    (s.ck[T], s.mine[T]),
                    (s.ahead_1[T], s.ahead_2[T]),
                    (s.here_1[T], s.here_2[T]),
                    (has_looked, at(s, T, "C0"), And(has_looked, Not(at(s, T, "C0", "C8")))),
                ),
            )
        )

    @conjunct
    def cancel_is_in_its_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """The iterator of cancelForKey."""
        within = bottom(s, T, "cancelForKey")
        has_looked = And(within, Not(at(s, T, "F1", "F2", "F3", "F6")))
        return every_thread(
            And(
                Implies(Or(has_looked, at(s, T, "F3")), self.made(s, s.fk[T], s.gone[T])),
                self.iterates(
                    s,
                    (s.fk[T], s.gone[T]),
                    (s.left_1[T], s.left_2[T]),
                    (s.held_1[T], s.held_2[T]),
                    (has_looked, at(s, T, "F4"), And(has_looked, Not(at(s, T, "F4")))),
                ),
            )
        )

    @conjunct
    def purge_is_in_its_list(self, s: SimpleNamespace) -> z3.BoolRef:
        """The iterator of purgeCompleted, which takes out completed operations."""
        has_looked = at(s, T, "H0", "H2", "H3")
        return every_thread(
            And(
                Implies(Or(has_looked, at(s, T, "H1", "H4")), self.made(s, s.hk[T], s.hw[T])),
                self.iterates(
                    s,
                    (s.hk[T], s.hw[T]),
                    (s.some_1[T], s.some_2[T]),
                    (s.one_1[T], s.one_2[T]),
                    (has_looked, at(s, T, "H0"), at(s, T, "H2", "H3")),
                ),
                Implies(at(s, T, "H3"), s.completed[s.one_2[T]]),
            )
        )
