"""Contracts of the elections of ``impl/partition_leader.py``, each of which runs the code.

CrossHair confirms them over all paths, for any numbers of brokers and any order, up to the sizes in
the preconditions. ``proofs/elections`` has them for any number of replicas. ``elections.toml`` says
which decision of ``mutants/partition_leader`` each of them needs: CrossHair refutes it without.

``order``: the assignment, or the target of a reassignment; ``going``: the brokers that shut down.
"""

from __future__ import annotations

from impl.partition_leader import (
    Elected,
    controlled_shutdown_partition_leader_election,
    offline_partition_leader_election,
    preferred_replica_partition_leader_election,
    reassign_partition_leader_election,
)

OFFLINE, REASSIGN, PREFERRED, SHUTDOWN = KINDS = range(4)


def elected(
    kind: int, order: list[int], isr: list[int], live: set[int], going: set[int], unclean: bool
) -> Elected | None:
    """The result of the code's election of a kind."""
    if kind == OFFLINE:
        return offline_partition_leader_election(order, isr, live, unclean)
    if kind == REASSIGN:
        return reassign_partition_leader_election(order, isr, live)
    if kind == PREFERRED:
        return preferred_replica_partition_leader_election(order, isr, live)
    return controlled_shutdown_partition_leader_election(order, isr, live, going)


def sound(
    kind: int, order: list[int], isr: list[int], live: set[int], going: set[int], unclean: bool
) -> list[int]:
    """The replicas that may lead, in the order that decides: a formula apart from the code."""
    candidates = order[:1] if kind == PREFERRED else order
    up = [
        replica
        for replica in candidates
        if replica in live and not (kind == SHUTDOWN and replica in going)
    ]
    in_sync = [replica for replica in up if replica in isr]
    return up if kind == OFFLINE and unclean and not in_sync else in_sync


def clean_leader_in_the_old_isr(
    kind: int, order: list[int], isr: list[int], live: set[int], going: set[int], unclean: bool
) -> bool:
    """A leader that was not in sync is unclean, and was permitted.

    pre: kind in KINDS and 1 <= len(order) <= 3 and len(isr) <= 2
    pre: len(live) <= 2 and len(going) <= 1
    post: __return__
    """
    election = elected(kind, order, isr, live, going, unclean)
    return election is None or election.leader in isr or (election.unclean and unclean)


def leader_is_up(
    kind: int, order: list[int], isr: list[int], live: set[int], going: set[int], unclean: bool
) -> bool:
    """A leader is live, and does not shut down.

    pre: kind in KINDS and 1 <= len(order) <= 3 and len(isr) <= 2
    pre: len(live) <= 2 and len(going) <= 1
    post: __return__
    """
    election = elected(kind, order, isr, live, going, unclean)
    is_leaving = election is not None and kind == SHUTDOWN and election.leader in going
    return election is None or (election.leader in live and not is_leaving)


def first_in_assignment(
    kind: int, order: list[int], isr: list[int], live: set[int], going: set[int], unclean: bool
) -> bool:
    """A leader is the first one that may lead.

    pre: kind in KINDS and 1 <= len(order) <= 3 and len(isr) <= 2
    pre: len(live) <= 2 and len(going) <= 1
    post: __return__
    """
    election = elected(kind, order, isr, live, going, unclean)
    return (
        election is None or [election.leader] == sound(kind, order, isr, live, going, unclean)[:1]
    )


def none_if_and_only_if_no_replica_may(
    kind: int, order: list[int], isr: list[int], live: set[int], going: set[int], unclean: bool
) -> bool:
    """There is no leader exactly where no replica may lead.

    pre: kind in KINDS and 1 <= len(order) <= 3 and len(isr) <= 2
    pre: len(live) <= 2 and len(going) <= 1
    post: __return__
    """
    election = elected(kind, order, isr, live, going, unclean)
    return (election is None) == (not sound(kind, order, isr, live, going, unclean))


def leader_in_the_new_isr(
    kind: int, order: list[int], isr: list[int], live: set[int], going: set[int], unclean: bool
) -> bool:
    """A leader is in sync with itself.

    pre: kind in KINDS and 1 <= len(order) <= 3 and len(isr) <= 2
    pre: len(live) <= 2 and len(going) <= 1
    post: __return__
    """
    election = elected(kind, order, isr, live, going, unclean)
    return election is None or election.leader in election.isr


def isr_never_grows(
    kind: int, order: list[int], isr: list[int], live: set[int], going: set[int], unclean: bool
) -> bool:
    """The new ISR has members of the old one alone, or an unclean leader alone.

    pre: kind in KINDS and 1 <= len(order) <= 3 and len(isr) <= 2
    pre: len(live) <= 2 and len(going) <= 1
    post: __return__
    """
    election = elected(kind, order, isr, live, going, unclean)
    if election is None:
        return True
    if election.unclean:
        return election.isr == (election.leader,)
    return all(replica in isr for replica in election.isr)


def isr_order_irrelevant(
    kind: int, order: list[int], isr: list[int], live: set[int], going: set[int], unclean: bool
) -> bool:
    """An ISR in the other order gives the same leader, and an ISR of the same members.

    pre: kind in KINDS and 1 <= len(order) <= 3 and len(isr) <= 2
    pre: len(live) <= 2 and len(going) <= 1
    post: __return__
    """
    first = elected(kind, order, isr, live, going, unclean)
    second = elected(kind, order, isr[::-1], live, going, unclean)
    if first is None or second is None:
        return first is second
    return (first.leader, first.isr, first.unclean) == (
        second.leader,
        second.isr[::-1],
        second.unclean,
    )


def idempotent(
    kind: int, order: list[int], isr: list[int], live: set[int], going: set[int], unclean: bool
) -> bool:
    """An election from the new ISR changes nothing.

    pre: kind in KINDS and 1 <= len(order) <= 3 and len(isr) <= 2
    pre: len(live) <= 2 and len(going) <= 1
    post: __return__
    """
    once = elected(kind, order, isr, live, going, unclean)
    if once is None:
        return True
    again = elected(kind, order, list(once.isr), live, going, unclean)
    return again is not None and (again.leader, again.isr) == (once.leader, once.isr)
