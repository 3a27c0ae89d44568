"""E1 - E6: elections of partition leaders, for any number of replicas.

E1 is about the loop, E2 about the code of ``impl/partition_leader.py``, on symbols. E3 - E6 are
about an election that is given by these two: the first replica at a place ``k`` of a sequence of
any length, and the new ISR.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import z3

from impl import partition_leader
from proofs.elections import code
from proofs.elections.code import DOWN, IN_ISR, LIVE, MEMBER, UNCLEAN, fits
from proofs.elections.replays import Case, confirmed, loop_elsewhere
from wheelproof.prove.kernel import VC, Control, Theory, refuted

THEORY = Theory("elections.theory", mechanism="partition_leader")

AT = z3.Function("assignment", z3.IntSort(), z3.IntSort())
"""The replica at a place, from 0."""
N, I, K, K2 = z3.Ints("length place k k2")
BOUND = itertools.count(1)
FIT = z3.Function("fit", z3.IntSort(), z3.BoolSort())

Fit = Callable[[Any], z3.BoolRef]


def bound() -> z3.ArithRef:
    """A variable for one quantifier: cvc5 warns of a name that two of them share."""
    return z3.Int(f"j{next(BOUND)}")


def none_before(end: Any, fit: Fit, size: int | None = None) -> z3.BoolRef:
    """No replica before a place fits. ``size``: the number of replicas, where it is known."""
    if size is None:
        j = bound()
        return z3.ForAll([j], z3.Implies(z3.And(0 <= j, j < end), z3.Not(fit(AT(j)))))
    return z3.And(*[z3.Implies(place < end, z3.Not(fit(AT(place)))) for place in range(size)])


def first_at(k: Any, fit: Fit, size: int | None = None) -> z3.BoolRef:
    """The first replica that fits stands at k."""
    return z3.And(0 <= k, k < N, fit(AT(k)), none_before(k, fit, size))


# -- E1: the loop


def reached(place: Any, size: int | None = None) -> z3.BoolRef:
    """The loop comes to this place: it has not returned before."""
    return z3.And(0 <= place, place <= N, none_before(place, FIT, size))


LENGTH = {"length": N >= 0}
THEORY.theorem(
    "E1",
    "a loop that returns at a replica that fits returns the first one, or none if none fits",
    [
        VC("begin", LENGTH, reached(z3.IntVal(0))),
        VC(
            "go on",
            {"at place": reached(I), "not over": I < N, "no fit": z3.Not(FIT(AT(I)))},
            reached(I + 1),
            vivid=[I == 2, N == 4],
        ),
        VC(
            "return",
            {"at place": reached(I), "not over": I < N, "fit": FIT(AT(I))},
            first_at(I, FIT),
            vivid=[I == 2, N == 4],
        ),
        VC(
            "end",
            {"at place": reached(I), "over": I == N},
            none_before(N, FIT),
            vivid=[N == 3],
        ),
    ],
    [
        refuted(
            VC("from the second", LENGTH | {"some": N == 2}, reached(z3.IntVal(1), 2)),
            "the loop begins at the second replica",
            loop_elsewhere(AT, FIT, N, start=1),
        ),
        refuted(
            VC(
                "one short",
                {"at place": reached(I, 2), "over": z3.And(I == N - 1, N == 2)},
                none_before(N, FIT, 2),
            ),
            "the loop ends before the last replica",
            loop_elsewhere(AT, FIT, N, short=1),
        ),
    ],
    assumes=("A-INDUCTION", "A-PYTHON"),
    certified="nightly",
)


# -- E2: the code

MEMBERSHIP = {"a member": IN_ISR(MEMBER)}


def offline_by_isr(assignment: Any, isr: Any, live: Any, unclean: Any) -> Any:
    """Looks at the ISR alone."""
    for replica in assignment:
        if replica in isr:
            return partition_leader.Elected(replica, tuple(r for r in isr if r in live))
    return None


def move_takes_all(target: Any, isr: Any, live: Any) -> Any:
    """Elects a replica that has not caught up."""
    for replica in target:
        if replica in live:
            return partition_leader.Elected(replica, tuple(isr))
    return None


def preferred_anyway(assignment: Any, isr: Any, live: Any) -> Any:
    """Elects the preferred replica, dead or not."""
    first = assignment[0]
    return partition_leader.Elected(first, tuple(isr)) if first in isr else None


def shutdown_keeps_isr(assignment: Any, isr: Any, live: Any, down: Any) -> Any:
    """Leaves those that shut down in the ISR."""
    for replica in assignment:
        if replica in live and replica in isr and replica not in down:
            return partition_leader.Elected(replica, tuple(isr))
    return None


CODE: tuple[tuple[str, Any, Callable[[Any], z3.BoolRef], Any, str], ...] = (
    (
        "offline",
        partition_leader.offline_partition_leader_election,
        code.as_offline,
        offline_by_isr,
        "it looks at the ISR alone",
    ),
    (
        "reassign",
        partition_leader.reassign_partition_leader_election,
        code.as_first_that_fits,
        move_takes_all,
        "it elects a replica that has not caught up",
    ),
    (
        "preferred",
        partition_leader.preferred_replica_partition_leader_election,
        code.as_first_that_fits,
        preferred_anyway,
        "it elects a dead replica",
    ),
    (
        "shutdown",
        partition_leader.controlled_shutdown_partition_leader_election,
        code.as_shutdown,
        shutdown_keeps_isr,
        "the new ISR has a broker that shuts down",
    ),
)


def code_controls() -> list[Control]:
    return [
        refuted(
            VC(f"{kind}: {wrong.__name__}", MEMBERSHIP, formula(wrong)),
            says,
            confirmed(kind, wrong),
        )
        for kind, _, formula, wrong, says in CODE
    ]


THEORY.theorem(
    "E2",
    "each election of the code returns at a replica that may lead, with the new ISR that its kind "
    "has",
    [VC(kind, MEMBERSHIP, formula(election)) for kind, election, formula, _, _ in CODE],
    code_controls(),
    assumes=("A-PYTHON",),
    certified="nightly",
)


# -- E3 - E6: elections


class Election:
    """An offline election from one ISR, at a place of the assignment.

    ``size``: the number of replicas, where it is known.
    """

    def __init__(self, in_isr: Fit, k: Any, size: int | None = None) -> None:
        self.in_isr, self.k, self.leader = in_isr, k, AT(k)
        self.clean = first_at(k, self.fits, size)
        self.no_fit = none_before(N, self.fits, size)
        self.uncleanly = z3.And(self.no_fit, UNCLEAN, first_at(k, LIVE, size))
        self.none = z3.And(self.no_fit, z3.Or(z3.Not(UNCLEAN), none_before(N, LIVE, size)))
        self.elected = z3.Or(self.clean, self.uncleanly)

    def fits(self, replica: Any) -> z3.BoolRef:
        return z3.And(self.in_isr(replica), LIVE(replica))

    def after(self, replica: Any) -> z3.BoolRef:
        """The new ISR."""
        return z3.If(
            self.uncleanly,
            replica == self.leader,
            z3.And(self.in_isr(replica), LIVE(replica)),
        )


ONE = Election(IN_ISR, K)
ELECTED = {"length": N >= 1, "elected": ONE.elected}
SOME = [N == 3, K == 1, AT(0) == 1, AT(1) == 2, AT(2) == 3]
FEW = Election(IN_ISR, K, 3)
OF_THREE = {"elected": FEW.elected, "three": z3.And(*SOME)}
"""The bounds of the controls: a solver need not look for a model of all numbers."""


def replicas(claim: Callable[[Any], z3.BoolRef]) -> z3.BoolRef:
    replica = bound()
    return z3.ForAll([replica], claim(replica))


THEORY.theorem(
    "E3",
    "the leader of an offline election is live and in the new ISR, whose members are live; the "
    "leader was in sync and the ISR has not grown, or no replica in sync is live",
    [
        VC("LeaderIsUp", ELECTED, LIVE(ONE.leader), SOME),
        VC("LeaderInIsr", ELECTED, ONE.after(ONE.leader), SOME),
        VC("GoneLeaveIsr", ELECTED, replicas(lambda r: z3.Implies(ONE.after(r), LIVE(r))), SOME),
        VC(
            "CleanLeader",
            ELECTED,
            z3.If(ONE.uncleanly, z3.And(UNCLEAN, none_before(N, fits)), IN_ISR(ONE.leader)),
            SOME,
        ),
        VC(
            "IsrNeverGrows",
            ELECTED | {"clean": ONE.clean},
            replicas(lambda r: z3.Implies(ONE.after(r), IN_ISR(r))),
            SOME,
        ),
    ],
    [
        refuted(
            VC("always in sync", OF_THREE, IN_ISR(FEW.leader)),
            "an unclean leader was in sync, too",
            Case("offline", AT, N).refutes(lambda case, choice: choice.leader in case.isr),
        ),
    ],
    assumes=("A-INDUCTION", "A-PYTHON"),
    certified="nightly",
)

THEORY.theorem(
    "E4",
    "an offline election elects none if and only if no replica may lead, and never two replicas",
    [
        VC(
            "NoneOnlyIfNobody",
            {"length": N >= 0, "none": ONE.none},
            z3.And(none_before(N, fits), z3.Implies(UNCLEAN, none_before(N, LIVE))),
            [N == 3],
        ),
        VC("none is not one", ELECTED, z3.Not(ONE.none), SOME),
        VC(
            "one place",
            ELECTED | {"again": Election(IN_ISR, K2).elected},
            K == K2,
            SOME,
        ),
    ],
    [
        refuted(
            VC(
                "a live one may lead",
                {"none": FEW.none, "three": z3.And(*SOME)},
                z3.Not(LIVE(AT(0))),
            ),
            "a live replica may always lead",
            Case("offline", AT, N).refutes(
                lambda case, choice: case.assignment[0] not in case.live
            ),
        ),
    ],
    assumes=("A-INDUCTION", "A-PYTHON"),
    certified="nightly",
)

AGAIN = Election(ONE.after, K2)
THEORY.theorem(
    "E5",
    "an offline election from its own result elects the same leader, cleanly, and changes nothing",
    [
        VC(
            "same leader",
            ELECTED | {"again": AGAIN.elected},
            z3.And(AGAIN.leader == ONE.leader, AGAIN.clean),
            [*SOME, K2 == 1],
        ),
        VC(
            "same ISR",
            ELECTED | {"again": AGAIN.clean},
            replicas(lambda r: AGAIN.after(r) == ONE.after(r)),
            [*SOME, K2 == 1],
        ),
        VC("not none", ELECTED, z3.Not(AGAIN.none), SOME),
    ],
    [
        refuted(
            VC("same ISR as before", OF_THREE, replicas(lambda r: FEW.after(r) == IN_ISR(r))),
            "the first election changes nothing either",
            Case("offline", AT, N).refutes(lambda case, choice: set(choice.isr) == set(case.isr)),
        ),
    ],
    assumes=("A-INDUCTION", "A-PYTHON"),
    certified="nightly",
)


def staying(replica: Any) -> z3.BoolRef:
    return z3.And(fits(replica), z3.Not(DOWN(replica)))


LEFT: Fit = lambda r: z3.And(IN_ISR(r), z3.Not(DOWN(r)))  # noqa: E731
THEORY.theorem(
    "E6",
    "the leader of a move, of a preferred replica election and of a shutdown is live, was in sync, "
    "and is in the new ISR, which has not grown",
    [
        VC(
            "move",
            {"length": N >= 1, "elected": first_at(K, fits)},
            z3.And(LIVE(AT(K)), IN_ISR(AT(K))),
            SOME,
        ),
        VC(
            "preferred",
            {"length": N >= 1, "elected": z3.And(K == 0, first_at(K, fits))},
            z3.And(LIVE(AT(0)), IN_ISR(AT(0))),
            [N == 3, AT(0) == 1, AT(1) == 2, AT(2) == 3],
        ),
        VC(
            "shutdown",
            {"length": N >= 1, "elected": first_at(K, staying)},
            z3.And(
                LIVE(AT(K)),
                IN_ISR(AT(K)),
                z3.Not(DOWN(AT(K))),
                LEFT(AT(K)),
                replicas(lambda r: z3.Implies(LEFT(r), z3.And(IN_ISR(r), z3.Not(DOWN(r))))),
            ),
            SOME,
        ),
    ],
    [
        refuted(
            VC(
                "who shuts down",
                {"elected": first_at(K, fits, 3), "three": z3.And(*SOME)},
                z3.Not(DOWN(AT(K))),
            ),
            "the election does not look who shuts down",
            Case("reassign", AT, N).refutes(
                lambda case, choice: choice.leader not in case.down,
            ),
        ),
    ],
    assumes=("A-INDUCTION", "A-PYTHON"),
    certified="nightly",
)
