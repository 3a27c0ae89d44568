"""The links of the states of module DelayedOperation to those of the proofs, as an invariant.

The links give a thread's stack where that matters: the callers, the values that a call has saved,
and the operation that a thread works on.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or

from proofs.delayed_operation.ghosts import (
    ATTEMPTS,
    BASE,
    FORCES,
    NO_OPERATION,
    PROCEDURES,
    WORKED,
    N,
    Stacked,
    at,
    every_level,
    every_thread,
    target,
    word,
)
from proofs.delayed_operation.steps import NO_THREAD, T
from proofs.delayed_operation.words import BEGUN, PROTOCOL
from wheelproof.prove.ts.system import conjunct


class Linked(Stacked):
    """The system with the links as conjuncts of an invariant."""

    @conjunct
    def all_labels_are_places(self, s: SimpleNamespace) -> z3.BoolRef:
        """No thread is nowhere. The null thread has not begun."""
        return And(
            ForAll([T], Not(at(s, T, "Nowhere"))),
            at(s, NO_THREAD, "T0"),
            s.level[NO_THREAD] == 0,
        )

    @conjunct
    def label_is_of_the_innermost(self, s: SimpleNamespace) -> z3.BoolRef:
        """The innermost frame is that of the label's procedure; the process has an empty stack."""
        height = s.stack_height[T]
        return every_thread(
            And(
                0 <= height,
                (height == 0) == at(s, T, *BASE),
                *[
                    Implies(at(s, T, *labels.split()), self.called(s, T, height, name))
                    for name, labels in PROCEDURES.items()
                ],
            )
        )

    @conjunct
    def calls_have_their_places(self, s: SimpleNamespace) -> z3.BoolRef:
        """The callers: attempts at the bottom, then forceComplete, one for each operation."""
        first = [
            Implies(self.called(s, T, N, *ATTEMPTS), And(N == 1, self.back(s, T, N, "T0", "G2"))),
            Implies(self.called(s, T, N, "tryComplete"), And(N == 2, N == s.stack_height[T])),
            Implies(self.called(s, T, N, "onComplete"), And(2 <= N, N == s.stack_height[T])),
            Not(self.called(s, T, N, "nothing")),
            Implies(And(N == 1, self.called(s, T, N, *FORCES)), self.back(s, T, N, "T1")),
        ]
        tries = [
            Implies(
                self.called(s, T, N - 1, name),
                And(self.back(s, T, N, label), self.called(s, T, N, "tryComplete", *FORCES)),
            )
            for name, (label, _) in ATTEMPTS.items()
        ]
        completes = [
            Implies(
                self.called(s, T, N - 1, name),
                And(self.back(s, T, N, label), self.called(s, T, N, "onComplete", *FORCES)),
            )
            for name, label in FORCES.items()
        ]
        return every_level(s, And(*first, Implies(2 <= N, And(*tries, *completes))))

    @conjunct
    def calls_save_what_was(self, s: SimpleNamespace) -> z3.BoolRef:
        """A frame of forceComplete has saved the value of its variable on the level below."""
        xo, lo = s.xo_at[T], s.lo_at[T]
        frames = self.called(s, T, N, "forceComplete"), self.called(s, T, N, "forceCompleteLocked")
        return And(
            every_level(
                s,
                Implies(
                    2 <= N,
                    And(
                        If(frames[0], s.stack_xo[T][N], xo[N]) == xo[N - 1],
                        If(frames[1], s.stack_lo[T][N], lo[N]) == lo[N - 1],
                    ),
                ),
            ),
            every_thread(
                Implies(
                    1 <= s.stack_height[T],
                    And(xo[s.stack_height[T]] == s.xo[T], lo[s.stack_height[T]] == s.lo[T]),
                )
            ),
        )

    @conjunct
    def forces_an_operation(self, s: SimpleNamespace) -> z3.BoolRef:
        """Each forceComplete has an operation of its protocol. One is the viewed one's in earnest.

        Others of the same operation, above it, have found or will find it completed.
        """
        operation, by_lock = self.forced(s, T, N), self.called(s, T, N, "forceCompleteLocked")
        earnest = Or(N < s.stack_height[T], Not(at(s, T, "X1", "L1")))
        return every_level(
            s,
            Implies(
                self.called(s, T, N, *FORCES),
                And(
                    operation != NO_OPERATION,
                    (s.Protocol[operation] == PROTOCOL.Blocking) == by_lock,
                    Implies(
                        operation == s.viewed,
                        And(0 < s.level[T], s.level[T] <= N, Implies(earnest, s.level[T] == N)),
                    ),
                ),
            ),
        )

    @conjunct
    def level_is_the_viewed(self, s: SimpleNamespace) -> z3.BoolRef:
        """The level has the viewed operation, which is completed before onComplete is called."""
        level, height = s.level[T], s.stack_height[T]
        return every_thread(
            And(
                0 <= level,
                level <= height,
                Implies(
                    0 < level,
                    And(
                        self.called(s, T, level, *FORCES),
                        self.forced(s, T, level) == s.viewed,
                        Implies(
                            Or(level < height, at(s, T, "X3", "X4", "L5", "L6")),
                            s.completed[s.viewed],
                        ),
                    ),
                ),
            )
        )

    @conjunct
    def program_is_followed(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread does as its program says, with the operation that the step names."""
        height, operation = s.stack_height[T], target(s, T)
        outermost, two = z3.IntVal(1), z3.IntVal(2)
        protocols = {
            "tryOnce": ("TryOnce",),
            "tryPending": ("TryPending",),
            "lockedTry": ("LockedTry",),
            "safeTryComplete": ("CheckedTry", "Blocking"),
        }
        return every_thread(
            And(
                1 <= s.turn[T],
                s.turn[T] <= s.Program_length[T] + 1,
                Implies(Not(at(s, T, "T0", "Done")), 2 <= s.turn[T]),
                *[
                    Implies(at(s, T, label), word(s, T) == BEGUN.value(w))
                    for label, w in WORKED.items()
                ],
                Implies(
                    And(1 <= height, self.back(s, T, outermost, "G2")),
                    word(s, T) == BEGUN.value("deliver_holding"),
                ),
                *[
                    Implies(
                        And(1 <= height, self.called(s, T, outermost, name)),
                        And(
                            getattr(s, variable)[T] == operation,
                            Or(
                                [
                                    s.Protocol[operation] == getattr(PROTOCOL, p)
                                    for p in protocols[name]
                                ]
                            ),
                        ),
                    )
                    for name, (_, variable) in ATTEMPTS.items()
                ],
                Implies(
                    And(1 <= height, self.called(s, T, outermost, *FORCES)),
                    self.forced(s, T, outermost) == operation,
                ),
                Implies(
                    And(2 <= height, self.called(s, T, outermost, *ATTEMPTS)),
                    If(self.called(s, T, two, "tryComplete"), s.yo[T], self.forced(s, T, two))
                    == operation,
                ),
            )
        )

    @conjunct
    def completes_the_one_below(self, s: SimpleNamespace) -> z3.BoolRef:
        """onComplete is that of the operation whose forceComplete has called it."""
        return every_thread(
            And(
                Implies(
                    at(s, T, "D1", "D2", "D3", "D4"),
                    s.co[T] == self.forced(s, T, s.stack_height[T] - 1),
                ),
                Implies(at(s, T, "D2", "D3"), s.Locking[s.co[T]]),
            )
        )

    @conjunct
    def reads_in_order(self, s: SimpleNamespace) -> z3.BoolRef:
        """tryComplete is at one of its operation's conditions, and goes on to another."""
        last = s.Needs_length[s.yo[T]]
        return every_thread(
            And(
                Implies(at(s, T, "Y1"), And(1 <= s.at[T], s.at[T] <= last)),
                Implies(at(s, T, "Y2"), And(1 <= s.at[T], s.at[T] < last)),
            )
        )

    @conjunct
    def raised_is_completed(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread whose call raised has completed the operation that it works on."""
        return every_thread(
            Implies(
                And(s.raised[T], target(s, T) == s.viewed, 2 <= s.turn[T]),
                s.completed[s.viewed],
            )
        )
