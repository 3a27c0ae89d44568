"""A consumer group's join: members gather while its first rebalance waits for more of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from impl.arguments import able, function, whole
from impl.delayed_operation import DelayedOperation
from impl.delayed_operation_purgatory import DelayedOperationPurgatory
from impl.runtime import Lock

Joined = Callable[[int, tuple[str, ...]], object]


class GroupJoinKey(NamedTuple):
    """The key of a group's joins."""

    group: str


class Group:
    """The members of a group.

    ``rejoined``: those that the present join has seen; ``newcomers``: some came after its last
    delay began. ``generation``: counts the joins that are complete.
    """

    __slots__ = ("name", "lock", "members", "rejoined", "newcomers", "generation", "joining")

    def __init__(self, name: str) -> None:
        self.name, self.lock = name, Lock()
        self.members: list[str] = []
        self.rejoined: set[str] = set()
        self.newcomers = False
        self.generation, self.joining = 0, False


class Coordinator:
    """Lets members join groups. No lock of a group is held while the purgatory is called.

    An operation's lock is held while ``on_complete`` takes the group's. A thread that took them in
    the other order would make a deadlock (KAFKA-5970).
    """

    def __init__(
        self,
        purgatory: DelayedOperationPurgatory,
        initial_delay_ms: int,
        rebalance_timeout_ms: int,
        joined: Joined,
    ) -> None:
        """``initial_delay_ms``: how long the first join waits for more members, each time anew.

        ``rebalance_timeout_ms``: how long any join lasts at most. ``joined``: gets generation and
        members of each join.
        """
        able("purgatory", purgatory, DelayedOperationPurgatory)
        whole("initial_delay_ms", initial_delay_ms, least=0)
        whole("rebalance_timeout_ms", rebalance_timeout_ms, least=0)
        function("joined", joined)
        self.purgatory = purgatory
        self.initial_delay_ms, self.rebalance_timeout_ms = initial_delay_ms, rebalance_timeout_ms
        self.joined = joined

    def join(self, group: Group, member: str) -> None:
        """A member joins, or joins again. The first one starts the join."""
        with group.lock:
            starts, group.joining = not group.joining, True
            if member not in group.members:
                group.members.append(member)
                group.newcomers = not starts
            group.rejoined.add(member)
            first = group.generation == 0
        if starts:
            delay, left = self.initial_delay_ms, self.rebalance_timeout_ms
            self.enter(
                InitialDelayedJoin(self, group, min(delay, left), max(left - delay, 0))
                if first
                else DelayedJoin(self, group, left)
            )
        else:
            self.purgatory.check_and_complete(GroupJoinKey(group.name))

    def enter(self, join: DelayedJoin) -> None:
        """Let a join wait for the group's members."""
        self.purgatory.try_complete_else_watch(join, (GroupJoinKey(join.group.name),))

    def complete(self, group: Group) -> None:
        """End a join: members that did not come again are out."""
        with group.lock:
            group.members = [member for member in group.members if member in group.rejoined]
            group.rejoined.clear()
            group.generation += 1
            group.joining = False
            result = group.generation, tuple(group.members)
        self.joined(*result)


class DelayedJoin(DelayedOperation):
    """Completes when all members have joined again. Kafka: ``DelayedJoin``."""

    __slots__ = ("coordinator", "group", "expired")

    def __init__(self, coordinator: Coordinator, group: Group, delay_ms: int) -> None:
        super().__init__(delay_ms)
        able("coordinator", coordinator, Coordinator)
        self.coordinator, self.group = coordinator, group
        self.expired = False

    def try_complete(self) -> bool:
        with self.group.lock:
            everybody = self.group.rejoined.issuperset(self.group.members)
        return everybody and self.force_complete()

    def on_complete(self) -> None:
        self.coordinator.complete(self.group)

    def on_expiration(self) -> None:
        self.expired = True


class InitialDelayedJoin(DelayedJoin):
    """The join of a group's first rebalance, which no event completes.

    At its timeout it enters the next one, if members have come meanwhile and ``remaining_ms`` are
    left. Kafka: ``InitialDelayedJoin``.
    """

    __slots__ = ("remaining_ms",)

    def __init__(
        self, coordinator: Coordinator, group: Group, delay_ms: int, remaining_ms: int
    ) -> None:
        super().__init__(coordinator, group, delay_ms)
        self.remaining_ms = remaining_ms

    def try_complete(self) -> bool:
        return False

    def on_complete(self) -> None:
        with self.group.lock:
            again = self.group.newcomers and self.remaining_ms > 0
            self.group.newcomers = False
        if not again:
            self.coordinator.complete(self.group)
            return
        delay = min(self.coordinator.initial_delay_ms, self.remaining_ms)
        left = max(self.remaining_ms - delay, 0)
        self.coordinator.enter(InitialDelayedJoin(self.coordinator, self.group, delay, left))
