"""The links of the states of module Purgatory to those of the proof, as an invariant: the stacks.

The links give a thread's stack where that matters: the callers, the values that a call has saved,
and the operation that a thread works on.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or

from proofs.purgatory.ghosts import (
    BASE,
    ENTER,
    FORCE,
    NEVER,
    PROCEDURES,
    N,
    Stacked,
    at,
    back,
    bottom,
    called,
    every_level,
    every_thread,
    says,
    target,
    word,
)
from proofs.purgatory.state import NO_KEY, NO_THREAD, K, T
from proofs.purgatory.words import NO_OPERATION
from wheelproof.prove.ts.system import conjunct

UNWINDING = ("L6", "L7", "A2", "A4", "Z1", "B3", "C6", "T1", "J2", "T0", "Done")
"""Labels at which a thread may be once an onComplete has raised."""


def enters_viewed(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread is in the viewed operation's tryCompleteElseWatch, and in nothing within it."""
    return And(0 < s.entry[t], s.entry[t] == s.stack_height[t])


def early(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """The thread enters the viewed operation, and has not come to its keys."""
    tries = And(s.entry[t] < s.stack_height[t], back(s, t, s.entry[t] + 1, "A2"))
    return And(0 < s.entry[t], Or(tries, And(enters_viewed(s, t), at(s, t, "A0", "A1", "A2"))))


class OnStacks(Stacked):
    """The system with the links of its stacks as conjuncts of an invariant."""

    @conjunct
    def only_labels_of_blocking(self, s: SimpleNamespace) -> z3.BoolRef:
        """No thread is nowhere, or at a label of TryPending. The null thread has not begun."""
        null = NO_THREAD
        return And(
            ForAll([T], Not(at(s, T, "Nowhere", *NEVER))),
            at(s, null, "T0"),
            And(s.entry[null] == 0, s.forcing[null] == 0, s.stack_height[null] == 0),
        )

    @conjunct
    def label_is_of_the_innermost(self, s: SimpleNamespace) -> z3.BoolRef:
        """The innermost frame is that of the label's procedure; the process has an empty stack."""
        height = s.stack_height[T]
        return every_thread(
            And(
                0 <= height,
                (height == 0) == at(s, T, *BASE, "Done"),
                *[
                    Implies(at(s, T, *labels.split()), called(s, T, height, name))
                    for name, labels in PROCEDURES.items()
                ],
            )
        )

    @conjunct
    def calls_have_their_places(self, s: SimpleNamespace) -> z3.BoolRef:
        """The callers of each procedure, and the labels that each call returns to."""

        def calls(below: str, *frames: tuple[str, str]) -> z3.BoolRef:
            choices = [
                And(called(s, T, N, *names.split()), back(s, T, N, *labels.split()))
                for names, labels in frames
            ]
            return Implies(called(s, T, N - 1, below), Or(choices))

        tries = "tryComplete forceComplete"
        first = Or(
            And(called(s, T, N, ENTER), back(s, T, N, "T0", "J2")),
            And(called(s, T, N, FORCE), back(s, T, N, "T0", "T1")),
            And(
                called(
                    s,
                    T,
                    N,
                    "checkAndComplete",
                    "cancelForKey",
                    "purge",
                    "watched",
                    "removeKeyIfEmpty",
                ),
                back(s, T, N, "T0"),
            ),
        )
        leaves = ("onComplete", "tryComplete", "cancelTask", "removeKeyIfEmpty", "purgeCompleted")
        strangers = ("forceUnlocked", "tryPending", "nothing")
        within = [
            calls(ENTER, (tries, "A2 A4"), ("cancelTask", "Z1")),
            And(
                calls("checkAndComplete", ("safeTryComplete", "C6")),
                called(s, T, N, "safeTryComplete")
                == And(N == 2, called(s, T, N - 1, "checkAndComplete")),
            ),
            calls("safeTryComplete", (tries, "B3")),
            calls(FORCE, ("cancelTask", "L5"), (f"onComplete {ENTER}", "L6")),
            calls("purge", ("purgeCompleted removeKeyIfEmpty", "G6")),
            calls("cancelForKey", ("cancelTask", "F5")),
            Not(called(s, T, N - 1, *leaves, "watched", *strangers)),
        ]
        outermost = ("checkAndComplete", "cancelForKey", "purge", "watched")
        levels = [
            Implies(called(s, T, N, *outermost), N == 1),
            Implies(called(s, T, N, "purgeCompleted", "safeTryComplete"), N == 2),
        ]
        return every_level(s, And(If(N == 1, first, And(within)), *levels))

    @conjunct
    def calls_save_what_was(self, s: SimpleNamespace) -> z3.BoolRef:
        """A frame has saved the value of its variable on the level below."""
        ao, lo, height = s.ao_at[T], s.lo_at[T], s.stack_height[T]
        return And(
            every_level(
                s,
                Implies(
                    2 <= N,
                    And(
                        If(called(s, T, N, ENTER), s.stack_ao[T][N], ao[N]) == ao[N - 1],
                        If(called(s, T, N, FORCE), s.stack_lo[T][N], lo[N]) == lo[N - 1],
                    ),
                ),
            ),
            every_thread(Implies(1 <= height, And(ao[height] == s.ao[T], lo[height] == s.lo[T]))),
        )

    def worked(self, s: SimpleNamespace, t: z3.ExprRef, n: z3.ExprRef) -> z3.ExprRef:
        """The operation that a frame enters, completes or tries."""
        by_force = If(called(s, t, n, FORCE), s.lo_at[t][n], s.bo[t])
        return If(called(s, t, n, ENTER), s.ao_at[t][n], by_force)

    @conjunct
    def works_on_one(self, s: SimpleNamespace) -> z3.BoolRef:
        """A call is about the operation that its caller is about."""
        height = s.stack_height[T]
        below = self.worked(s, T, height - 1)
        cancels = called(s, T, height - 1, "cancelForKey")
        return And(
            every_level(
                s,
                And(
                    Implies(called(s, T, N, ENTER), s.ao_at[T][N] != NO_OPERATION),
                    Implies(called(s, T, N, FORCE), s.lo_at[T][N] != NO_OPERATION),
                    Implies(called(s, T, N, "safeTryComplete"), s.bo[T] == s.here_2[T]),
                    Implies(
                        And(
                            2 <= N,
                            called(s, T, N, FORCE),
                            called(s, T, N - 1, ENTER, "safeTryComplete"),
                        ),
                        s.lo_at[T][N] == self.worked(s, T, N - 1),
                    ),
                ),
            ),
            every_thread(
                And(
                    Implies(at(s, T, "Y1"), s.yo[T] == below),
                    Implies(at(s, T, "Q1"), s.xo[T] == If(cancels, s.held_2[T], below)),
                    Implies(at(s, T, "D1", "D2", "D3"), s.co[T] == below),
                )
            ),
        )

    @conjunct
    def viewed_has_its_levels(self, s: SimpleNamespace) -> z3.BoolRef:
        """Of the viewed operation a stack has at most one call that enters, one that completes."""
        height, entry, forcing = s.stack_height[T], s.entry[T], s.forcing[T]
        return And(
            every_level(
                s,
                And(
                    Implies(And(called(s, T, N, ENTER), s.ao_at[T][N] == s.viewed), N == entry),
                    Implies(And(called(s, T, N, FORCE), s.lo_at[T][N] == s.viewed), N == forcing),
                ),
            ),
            every_thread(
                And(
                    0 <= entry,
                    entry <= height,
                    0 <= forcing,
                    forcing <= height,
                    Implies(0 < entry, called(s, T, entry, ENTER)),
                    Implies(0 < entry, s.ao_at[T][entry] == s.viewed),
                    Implies(0 < forcing, called(s, T, forcing, FORCE)),
                    Implies(0 < forcing, s.lo_at[T][forcing] == s.viewed),
                    Implies(And(0 < entry, 0 < forcing), forcing == entry + 1),
                )
            ),
        )

    @conjunct
    def program_is_followed(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread does as its program says, with the operation that the step names."""
        first = z3.IntVal(1)
        by_timer = And(1 <= s.stack_height[T], back(s, T, first, "T1"))
        return every_thread(
            And(
                1 <= s.turn[T],
                s.turn[T] <= s.Program_length[T] + 1,
                Implies(Not(at(s, T, "T0", "Done")), 2 <= s.turn[T]),
                Implies(at(s, T, "J1"), says(word(s, T), "watch_holding")),
                Implies(at(s, T, "E1"), says(word(s, T), "deliver")),
                Implies(Or(at(s, T, "K1", "T1", "V1"), by_timer), says(word(s, T), "expire")),
                Implies(by_timer, s.lo_at[T][1] == target(s, T)),
            )
        )

    @conjunct
    def raised_unwinds(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once an onComplete has raised, a thread returns from every call."""
        return every_thread(Implies(s.raised[T], at(s, T, *UNWINDING)))

    @conjunct
    def entered_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """The viewed operation is entered by the thread that it was given to, and by no other."""
        entry = s.entry[T]
        fresh = And(enters_viewed(s, T), at(s, T, "A0", "A1"))
        return And(
            every_thread(
                Implies(
                    0 < entry,
                    And(s.given_to, T == s.enterer, s.entering[s.viewed], s.begun == Not(fresh)),
                )
            ),
            Implies(s.begun, s.given_to),
            Implies(Not(s.entering[s.viewed]), s.begun),
        )

    @conjunct
    def keys_in_order(self, s: SimpleNamespace) -> z3.BoolRef:
        """The viewed operation is added to a list of one key after the other, unless completed."""
        home, place, nth = s.home[K] != 0, s.place[K], s.nth[T]
        is_complete, inside = s.completed[s.viewed], enters_viewed(s, T)
        return And(
            ForAll([K], Implies(home, And(1 <= place, s.begun))),
            ForAll(
                [T, K],
                Implies(
                    T != NO_THREAD,
                    And(
                        Implies(early(s, T), And(Not(home), Or(is_complete, nth == 1))),
                        Implies(
                            And(inside, at(s, T, "W0", "W1", "W2", "W3", "W4", "W5")),
                            Or(is_complete, place == 0, home == (place < nth)),
                        ),
                        Implies(
                            And(inside, at(s, T, "W6")),
                            Or(is_complete, place == 0, home == (place <= nth)),
                        ),
                    ),
                ),
            ),
            every_thread(
                Implies(
                    And(inside, at(s, T, "W2", "W3", "W4", "W5")),
                    s.home[s.KeysOf_item[s.viewed][nth]] == 0,
                )
            ),
        )

    @conjunct
    def counts_are_in_range(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that counts keys or shards is at one that is there."""
        keys = s.KeysOf_length[s.ao[T]]
        return And(
            every_thread(
                And(
                    1 <= s.nth[T],
                    1 <= s.at[T],
                    1 <= s.no[T],
                    Implies(at(s, T, "W1", "W2", "W3", "W4", "W5", "W6"), s.nth[T] <= keys),
                    Implies(at(s, T, "G5"), s.at[T] <= s.Shards),
                    Implies(at(s, T, "N1"), s.no[T] <= s.Shards),
                )
            ),
            every_level(
                s,
                And(
                    Implies(called(s, T, N, ENTER), 1 <= s.stack_nth[T][N]),
                    Implies(called(s, T, N, "purge"), 1 <= s.stack_at[T][N]),
                    Implies(called(s, T, N, "watched"), 1 <= s.stack_no[T][N]),
                ),
            ),
        )

    @conjunct
    def callers_lock_is_held(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that enters an operation with the callers' lock has it."""
        within = And(bottom(s, T, ENTER), back(s, T, z3.IntVal(1), "J2"))
        return every_thread(
            And(
                Implies(Or(at(s, T, "J2"), within), s.outer == T),
                Implies(at(s, T, "D3"), Not(within)),
            )
        )

    @conjunct
    def keys_are_there(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that is at a key's shard, or in its list, has a key."""
        ck, fk = s.ck[T] != NO_KEY, s.fk[T] != NO_KEY
        return every_thread(
            And(
                Implies(bottom(s, T, "checkAndComplete"), ck),
                Implies(bottom(s, T, "cancelForKey"), fk),
            )
        )
