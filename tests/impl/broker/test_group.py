"""A group's joins: the first one enters the next one while members come, and no longer."""

from __future__ import annotations

import threading

import pytest

from impl.broker.group import Coordinator, Group, GroupJoinKey, InitialDelayedJoin
from impl.broker.virtual_time import VirtualTime
from impl.delayed_operation_purgatory import DelayedOperationPurgatory
from tests.impl.real_threads import PATIENCE_S

INITIAL_MS, TIMEOUT_MS = 100, 250


class Joins:
    """A group in virtual time. ``done``: generation, members and time of each join."""

    def __init__(self, join=InitialDelayedJoin):
        self.time, self.group, self.done, self.entered = VirtualTime(), Group("g"), [], []
        self.purgatory = DelayedOperationPurgatory("Join", self.time.timer, reaper_enabled=False)

        class Entering(Coordinator):
            def enter(coordinator, given):  # self is the joins
                self.entered.append((given.delay_ms, self.time.now_ms()))
                if type(given) is InitialDelayedJoin:
                    given = join(given.coordinator, given.group, given.delay_ms, given.remaining_ms)
                super().enter(given)

        self.coordinator = Entering(
            self.purgatory,
            INITIAL_MS,
            TIMEOUT_MS,
            lambda generation, members: self.done.append((generation, members, self.time.now_ms())),
        )

    def at(self, ms, *members):
        self.time.advance(ms - self.time.now_ms())
        for member in members:
            self.coordinator.join(self.group, member)


class EndsAtOnce(InitialDelayedJoin):
    """Does not wait for those who come after a member that came late."""

    def on_complete(self):
        self.coordinator.complete(self.group)


class WaitsOn(InitialDelayedJoin):
    """Enters the next join whatever is left."""

    def __init__(self, coordinator, group, delay_ms, remaining_ms):
        super().__init__(coordinator, group, INITIAL_MS, TIMEOUT_MS)


class LosesMembers(InitialDelayedJoin):
    """Forgets who came before the next join."""

    def on_complete(self):
        with self.group.lock:
            again = self.group.newcomers
        super().on_complete()
        if again:
            self.group.members.clear()


def broken(join=InitialDelayedJoin):
    """The properties that a group violates whose members come 60 ms after one another."""
    joins, found = Joins(join), set()
    for number in range(6):
        joins.at(60 * number, f"m{number}")
    joins.at(2000)
    first = joins.done[0] if joins.done else None
    if first is None or first[2] > TIMEOUT_MS:
        found.add("FirstJoinEndsInTime")
    if first is not None and first[2] < TIMEOUT_MS:
        found.add("NewcomersAreWaitedFor")
    if first is not None and not {"m0", "m1", "m2", "m3", "m4"} <= {*first[1]}:
        found.add("EveryMemberIsIn")
    return found


def test_a_first_join_waits_for_newcomers_up_to_its_timeout():
    assert broken() == set()


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (EndsAtOnce, "NewcomersAreWaitedFor"),
        (WaitsOn, "FirstJoinEndsInTime"),
        (LosesMembers, "EveryMemberIsIn"),
    ],
)
def test_a_faulty_join_is_rejected_by_its_property(fault, name):
    assert name in broken(fault)


def test_without_newcomers_a_first_join_ends_after_its_delay():
    joins = Joins()
    joins.at(0, "a")
    joins.at(40, "a")
    assert joins.purgatory.watched() == joins.purgatory.num_delayed() == 1
    joins.at(1000)
    assert joins.done == [(1, ("a",), 100)] and joins.purgatory.num_delayed() == 0


def test_a_first_join_whose_time_is_up_waits_for_no_newcomer():
    joins = Joins()
    for ms, member in ((0, "a"), (60, "b"), (160, "c"), (240, "d")):
        joins.at(ms, member)
    joins.at(1000)
    assert joins.entered == [(100, 0), (100, 100), (50, 200)]
    assert joins.done == [(1, ("a", "b", "c", "d"), 250)]


def test_the_next_join_is_entered_by_the_on_complete_of_the_one_before():
    joins = Joins()
    joins.at(0, "a")
    joins.at(50, "b")
    joins.at(100)
    assert joins.done == [] and joins.purgatory.num_delayed() == 1
    joins.purgatory.check_and_complete(GroupJoinKey("g"))
    assert joins.done == [], "no event completes it"
    joins.at(1000)
    assert joins.done == [(1, ("a", "b"), 200)]


def test_a_later_join_ends_when_all_have_come_again_or_without_those_who_have_not():
    joins = Joins()
    joins.at(0, "a", "b")
    joins.at(300, "a")
    assert joins.done == [(1, ("a", "b"), 200)], "b came after a: it waited once more"
    joins.at(310, "b")
    assert joins.done[1:] == [(2, ("a", "b"), 310)]
    joins.at(400, "a")
    joins.at(1000)
    assert joins.done[2:] == [(3, ("a",), 650)]


def test_with_threads_and_a_reaper_a_join_ends():
    over = threading.Event()
    seen = []

    def joined(generation, members):
        seen.append((generation, sorted(members)))
        over.set()

    with DelayedOperationPurgatory("Join") as purgatory:
        coordinator, group = Coordinator(purgatory, 20, 60, joined), Group("g")
        threads = [threading.Thread(target=coordinator.join, args=(group, name)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert over.wait(PATIENCE_S)
    assert seen[0][0] == 1
