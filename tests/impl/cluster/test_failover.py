"""Failover and resignation: their order, and what breaks in another one."""

from __future__ import annotations

import pytest

from impl.cluster.cluster import Member
from impl.cluster.controller import FAILOVER, ClusterController, WrongOrder
from impl.cluster.events import EXPIRE, MOVE
from impl.cluster.messages import Error, UpdateMetadataRequest
from impl.cluster.requests import performed
from impl.cluster.store import Store
from impl.controller import ControllerMoved
from impl.zookeeper_requests import Multi
from tests.impl.cluster.clusters import (
    A0,
    THREE,
    cluster,
    desk,
    having,
    interrupted,
    leaders,
    state,
)

NAMES = [part.begin for part in FAILOVER]


def ordered(*names):
    """A controller whose failover has another order."""
    parts = {part.begin: part for part in FAILOVER}
    order = tuple(parts[name] for name in (*names, *(each for each in NAMES if each not in names)))
    return type("Reordered", (ClusterController,), {"failover": order})


def taken_over(controller=ClusterController):
    """The controller dies."""
    made = cluster(*THREE, controller=controller)
    assert leaders(made) == [1, 2, 3] and made.named() == "1"
    made.kill(1)
    made.run()
    return made


class ElectsNone(ClusterController):
    """Takes over, and leaves partitions without a leader."""

    def start_partitions(self):
        self.desk.partitions.elect_where_none = lambda: iter(())
        yield from super().start_partitions()


def test_that_check_sees_a_takeover_without_elections():
    with pytest.raises(AssertionError, match="^LeaderIsLive: .* may lead a-0"):
        taken_over(ElectsNone)


def test_another_broker_takes_over_and_leaders_move():
    made = taken_over()
    assert made.named() == "2" and leaders(made) == [2, 2, 3]
    assert state(made, A0).isr == (2, 3)
    assert made.members[2].controller.own.value == 2


def order(controller):
    """The parts of a failover, as they begin, and whether all brokers hear of metadata first."""
    made = cluster(*THREE, controller=controller)
    made.kill(1)
    longest = []
    while made.members[2].step():
        begun = [part.begin for part in made.members[2].controller.begun]
        longest = max(longest, begun, key=len)
    queues = desk(made).channels.queues.values()
    return longest, all(isinstance(queue[0], UpdateMetadataRequest) for queue in queues)


def test_the_failover_has_kafkas_order():
    begun, informed = order(ClusterController)
    assert informed and begun == [
        "watch",
        "clear_notifications",
        "read_cluster",
        "open_channels",
        "read_deletions",
        "inform_brokers",
        "start_replicas",
        "start_partitions",
        "resume_reassignments",
        "resume_deletions",
        "elect_preferred",
        "start_timer",
    ]


def test_that_check_sees_another_order():
    first = ("watch", "read_cluster", "open_channels", "start_replicas", "start_partitions")
    begun, informed = order(ordered(*first))
    assert not informed and begun != NAMES


# -- what is watched is watched before it is read


def created_meanwhile(at, controller=ClusterController):
    """A topic is created before a request of the second controller. True: there is such one."""
    made = cluster(*THREE, controller=controller)
    made.kill(1)

    def create():
        made.create_topic("b", (2, 3))
        made.add_partitions("a", (3, 2))

    return len(interrupted(made, 2, create, at)) > at


@pytest.mark.daily(12)
@pytest.mark.parametrize("at", range(60))
def test_a_topic_that_comes_during_the_failover_is_not_lost(at):
    created_meanwhile(at)


def lost(controller):
    """The moments at which a topic that comes is lost."""
    found = []
    for at in range(8, 40):
        try:
            if not created_meanwhile(at, controller):
                break
        except AssertionError as error:
            assert str(error).startswith("Remembers: ")
            found.append(at)
    return found


def test_a_watch_after_the_read_loses_a_topic():
    assert lost(ordered("clear_notifications", "read_cluster", "watch"))


# -- brokers know who lives before they have to follow


def test_a_follower_that_does_not_know_its_leader_does_not_follow():
    late = ordered(*(each for each in NAMES if each != "inform_brokers"))
    with pytest.raises(AssertionError, match="^Follows: "):
        restarted(late)
    restarted(ClusterController)


def restarted(controller):
    """All brokers stop, and start again: they know of no other broker. All of them are registered
    before the first one elects.
    """
    made = cluster(*THREE, controller=controller)
    for broker in (1, 2, 3):
        made.kill(broker)
    for broker in (1, 2, 3):
        made.start(broker)
    for broker in (1, 2, 3):
        for _ in range(3):
            made.members[broker].step()
    made.run()


# -- resignation


def test_a_controller_that_gives_up_its_office_is_followed_by_another_one():
    made = cluster(*THREE)
    made.members[1].inbox.put(MOVE)
    made.run()
    assert made.named() is not None and made.members[1].controller.own.value == 1
    assert made.members[int(made.named())].controller.own.value == 2


@pytest.mark.daily(11)
@pytest.mark.parametrize("at", range(3, 60))
def test_a_failover_that_is_interrupted_ends_what_it_has_begun(at):
    made = cluster(*THREE)
    made.kill(1)
    interrupted(made, 2, lambda: made.members[2].expire(), at)
    made.remove_controller()
    made.run()


class Forward(ClusterController):
    """Ends first what has begun first."""

    def resignation(self):
        return list(self.begun)


class Leaves(ClusterController):
    """Leaves the replicas' state machine running."""

    def stop_replicas(self):
        pass


def resign(controller):
    made = cluster(*THREE, controller=controller)
    made.members[1].expire()
    made.run()


def test_resignation_ends_what_began_last_first():
    resign(ClusterController)
    with pytest.raises(WrongOrder, match="^watch was to end before start_timer$"):
        resign(Forward)


class Lingers(Member):
    """Begins another session, and keeps the one that was over."""

    def expire(self):
        self.inbox.clear_and_put(EXPIRE)


def test_a_session_that_is_left_is_found():
    made = cluster(*THREE, member=Lingers)
    made.members[2].expire()
    with pytest.raises(AssertionError, match="^OneSession: "):
        made.run()


class Breaks(ClusterController):
    """An end that fails."""

    def stop_replicas(self):
        raise LookupError("of an end")


class ForgetsLast(Breaks):
    """Forgets a part when its end has returned."""

    def finish(self, part):
        if part.end:
            getattr(self, part.end)()
        self.begun.pop()


def resign_twice(controller):
    """Have the first end fail, and resign again. Returns what has begun and not ended."""
    made = cluster(*THREE, controller=controller)
    found = made.acting().controller
    with pytest.raises(LookupError, match="of an end"):
        found.resign()
    found.resign()
    return found.begun


def test_a_part_whose_end_fails_keeps_no_other_part_from_its_end():
    assert resign_twice(Breaks) == []
    with pytest.raises(LookupError, match="of an end"):
        resign_twice(ForgetsLast)


def test_a_part_that_is_left_is_found():
    with pytest.raises(AssertionError, match="^Resigned: 1"):
        resign(Leaves)


# -- fences


class Unfenced(Store):
    """Writes without a look at the epoch."""

    def fenced(self, why, *parts):
        reply = yield from performed(why, Multi(parts))
        return reply


UnfencedController = having("desk.store", Unfenced)


def begun_when_overtaken(controller):
    """A controller has begun to elect a leader when another one is elected."""
    made = cluster(*THREE, controller=controller)
    made.kill(3)
    while "write /brokers/topics/a/partitions/2/state" != wanted(made, 1):
        assert made.members[1].step()
    made.remove_controller()
    while not made.members[2].controller.acting:
        made.members[2].step()
    return made


def overtaken(controller):
    """A controller has begun to elect a leader when another one is elected, and goes on."""
    made = begun_when_overtaken(controller)
    assert made.members[1].controller.acting and made.members[2].controller.acting
    made.run()
    return made


def wanted(made, broker):
    return getattr(made.members[broker].wanted, "why", "")


def test_a_controller_of_the_past_writes_nothing_and_resigns():
    made = overtaken(ClusterController)
    assert made.named() == "2" and not made.members[1].controller.begun


class ResignsWhenItLooks(ClusterController):
    """Learns that it is overtaken, and has its parts until it has looked who the controller is."""

    def of_duty(self, event):
        try:
            yield from self.duty(event)
        except ControllerMoved:
            self.acting = False
            yield from self.handle("reelect")


def has_when_it_is_overtaken(controller):
    """What the overtaken controller has begun, and not ended, at its first request after that."""
    made = begun_when_overtaken(controller)
    while made.members[1].controller.acting:
        assert made.members[1].step()
    return made.members[1].controller.begun


def test_a_controller_that_is_overtaken_resigns_before_its_next_request():
    assert has_when_it_is_overtaken(ClusterController) == []
    assert has_when_it_is_overtaken(ResignsWhenItLooks) != []


def test_an_unfenced_write_is_found():
    with pytest.raises(AssertionError, match="^FencedWrites: "):
        overtaken(UnfencedController)


def late_request(member):
    """A request of an overtaken controller comes to a broker after one of its successor."""
    made = cluster(*THREE, member=member)
    made.kill(3)
    while not desk(made).channels.queues[2]:
        made.members[1].step()
    queue = desk(made).channels.queues[2]
    made.remove_controller()
    while not made.members[2].controller.acting or made.members[2].busy():
        made.members[2].step()
    while made.deliver(2, 2):
        pass
    return made.members[2].broker.receive(queue[0]).error


class Credulous(Member):
    """Takes requests of any controller."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        receive = self.broker.receive

        def any_epoch(request):
            self.broker.controller_epoch = 0
            return receive(request)

        self.broker.receive = any_epoch


def test_a_broker_refuses_requests_with_a_smaller_epoch():
    assert late_request(Member) is Error.STALE_CONTROLLER_EPOCH


def test_that_check_sees_a_broker_that_takes_any_epoch():
    assert late_request(Credulous) is Error.NONE


# -- lost replies


@pytest.mark.parametrize("when", ["before", "after"])
def test_each_reply_may_be_lost(when):
    made = cluster(*THREE)
    for number in range(6):
        for member in made.members.values():
            member.session.drop_reply(when)
        made.kill(1 + number % 3)
        made.start(1 + number % 3)
        made.run()
    assert made.tree.zxid > 30
