"""What the articles claim of the controller, on a cluster, and what each check refuses."""

from __future__ import annotations

import pytest

from impl.cluster.batch import Batch
from impl.cluster.cluster import Cluster
from impl.cluster.controller import ClusterController
from impl.cluster.messages import Sender
from impl.cluster.nodes import DELETIONS, topic_path
from impl.cluster.partition_machine import PartitionMachine
from impl.cluster.requests import performed
from impl.controller import CONTROLLER, EPOCH, Place
from impl.zookeeper_requests import Create, Delete, Multi, Put
from tests.impl.cluster.clusters import (
    A0,
    A1,
    A2,
    THREE,
    cluster,
    desk,
    expand,
    having,
    shrink,
    state,
)
from tests.impl.cluster.test_failover import Leaves
from tests.impl.cluster.test_topics import Spreads


def plain(controller, kind=Cluster):
    """A cluster that judges nothing, with a controller."""
    made = kind()
    made.member_class = type("Planted", (made.member_class,), {"controller_class": controller})
    return made


def electing(controller):
    """The parts that a former controller has not ended when it stands again."""
    made = cluster(*THREE, controller=controller)
    made.remove_controller()
    member = made.members[1]
    while getattr(member.wanted, "place", None) is not Place.ELECT:
        assert member.step()
    return member.controller.begun


class StandsFirst(ClusterController):
    """Stands for election before it resigns."""

    def resign(self):
        pass


def test_a_former_controller_resigns_before_it_stands_again():
    assert electing(ClusterController) == []


def test_that_check_sees_one_that_stands_first():
    assert len(electing(StandsFirst)) == 12


# -- who stands, and who knows whom


def candidates(controller):
    """The brokers that try to create /controller."""
    made = plain(controller)
    found = set()
    for broker in (1, 2, 3):
        member = made.start(broker)
        while member.step():
            request = getattr(member.wanted, "request", None)
            if isinstance(request, Multi) and request.parts[0][:1] == (CONTROLLER,):
                found.add(broker)
    return found


class Eager(ClusterController):
    """Stands for election whatever it sees, once."""

    def maybe_resign(self):
        vacant = yield from super().maybe_resign()
        first, self.looked = not hasattr(self, "looked"), True
        return vacant or first


def test_a_broker_that_sees_a_controller_does_not_stand():
    assert candidates(ClusterController) == {1}


def test_that_check_sees_brokers_that_stand_anyway():
    assert candidates(Eager) == {1, 2, 3}


class Forgetful(ClusterController):
    """Does not keep who the controller is."""

    def learn(self, wanted, reply):
        pass


def known(controller):
    """Whom each broker takes for the controller, before and after a change."""
    made = plain(controller)
    for broker in (1, 2, 3):
        made.start(broker)
    made.run()
    before = [each.controller.active for each in made.members.values()]
    made.kill(1)
    made.run()
    return before, [each.controller.active for each in made.members.values()]


def test_each_broker_knows_who_the_controller_is():
    assert known(ClusterController) == ([1, 1, 1], [2, 2])


def test_that_check_sees_brokers_that_do_not_keep_it():
    assert known(Forgetful) == ([None] * 3, [None] * 2)


# -- /controller and /controller_epoch


def without_brokers(made):
    """What is left of the two nodes when all sessions have ended."""
    for broker in [*made.members]:
        made.kill(broker)
    return made.named(), made.data(EPOCH)


def test_the_epoch_stays_when_all_sessions_end():
    made = cluster()
    assert (made.named(), int(made.data(EPOCH))) == ("1", 1)
    assert without_brokers(made) == (None, "1")
    made.start(2)
    made.run()
    assert (made.named(), int(made.data(EPOCH))) == ("2", 2)


def test_that_check_sees_an_ephemeral_epoch():
    made = cluster()
    made.by_hand(Delete(EPOCH))
    made.members[1].session.ask(Multi((Create(EPOCH, "1", ephemeral=True),)))
    assert without_brokers(made) == (None, None)


class Keeps(ClusterController):
    """Ends nothing unless it acts."""

    def resign(self):
        if self.acting:
            super().resign()


class Judges(ClusterController):
    """Takes a node with another id for a vacancy, and creates it anew."""

    def maybe_resign(self):
        vacant = yield from super().maybe_resign()
        if self.active not in (None, self.id) and self.id == 2:
            yield from performed("delete /controller", Multi((Delete(CONTROLLER),)))
            return True
        return vacant


def written(controller):
    """Another id is written into /controller: who acts, the epoch, what each broker takes for the
    controller, and what the former one has not ended.
    """
    made = plain(controller)
    for broker in (1, 2, 3):
        made.start(broker)
        made.run()
    epoch = made.data(EPOCH)
    made.by_hand(Put(CONTROLLER, "3"))
    made.run()
    acting = [each.id for each in made.members.values() if each.controller.acting]
    active = [each.controller.active for each in made.members.values()]
    former = made.members[1]
    left = len(former.controller.begun) + len(former.watches.children)
    return acting, made.data(EPOCH) == epoch, active, left


def test_an_id_that_is_written_by_hand_makes_the_controller_resign_and_elects_none():
    assert written(ClusterController) == ([], True, [3, 3, 3], 0)


def test_that_check_sees_one_that_ends_nothing():
    assert written(Keeps)[3] == 16


def test_that_check_sees_an_election():
    assert written(Judges)[1] is False


def once():
    """Controllers of which one stands, once, and none when the node has gone."""
    stood = []

    class Once(ClusterController):
        def elect(self):
            if not stood:
                stood.append(self.id)
                yield from super().elect()

    return Once


def deleted(controller):
    """/controller is deleted by hand: how many act, and by how much the epoch has gone up."""
    made = plain(controller)
    for broker in (1, 2, 3):
        made.start(broker)
        made.run()
    epoch = int(made.data(EPOCH))
    made.remove_controller()
    made.run()
    acting = [each.id for each in made.members.values() if each.controller.acting]
    return len(acting), int(made.data(EPOCH)) - epoch


def test_a_deletion_by_hand_elects_anew():
    assert deleted(ClusterController) == (1, 1)


def test_that_check_sees_brokers_that_do_not_stand_again():
    assert deleted(once()) == (0, 0)


# -- epochs in requests


def sent(controller):
    """The epochs in the requests of a controller in its life, by kind; and its own."""
    found = []

    class Seen(Cluster):
        def answered(self, sender, broker, request):
            own = self.members[sender].controller.own.value
            found.append((type(request).__name__, request.sender.controller_epoch, own))
            return super().answered(sender, broker, request)

    made = plain(controller, Seen)
    for broker in (1, 2, 3):
        made.start(broker)
    made.run()
    made.create_topic("a", *THREE)
    made.run()
    made.kill(1)
    made.run()
    made.delete_topic("a")
    made.run()
    return set(found), max(each.broker.controller_epoch for each in made.members.values())


KINDS = ("LeaderAndIsrRequest", "StopReplicaRequest", "UpdateMetadataRequest")


class Anonymous(ClusterController):
    """Sends requests without its epoch."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.desk.replicas.batch = self.desk.partitions.batch = self.desk.batch = self.batch

    def batch(self):
        batch = Batch(self.id, self.desk.context, self.desk.channels)
        batch.sender = lambda broker: Sender(self.id, 0, self.desk.context.registered[broker].epoch)
        return batch


def test_each_request_to_a_broker_has_the_controllers_epoch_and_brokers_take_a_greater_one():
    found, highest = sent(ClusterController)
    kinds = {
        kind: {(carried, own) for each, carried, own in found if each == kind} for kind in KINDS
    }
    assert kinds == {
        KINDS[0]: {(1, 1), (2, 2)},
        KINDS[1]: {(2, 2)},
        KINDS[2]: {(1, 1), (2, 2)},
    }
    assert highest == 2


def test_that_check_sees_requests_without_an_epoch():
    found, highest = sent(Anonymous)
    assert {carried for _, carried, _ in found} == {0} and highest == 0


# -- states, leaders, assignments


def keepers(controller):
    """Who has states of partitions and replicas after the first controller's session is lost."""
    made = plain(controller)
    for broker in (1, 2, 3):
        made.start(broker)
    made.run()
    made.create_topic("a", *THREE)
    made.run()
    made.members[1].expire()
    made.run()
    running = [each for each in made.members.values() if each.controller.desk.replicas.running]
    return made.named(), [str(each.id) for each in running]


def test_the_elected_broker_alone_has_the_states_of_partitions_and_replicas():
    named, running = keepers(ClusterController)
    assert running == [named]


def test_that_check_sees_a_former_controller_that_keeps_them():
    named, running = keepers(Leaves)
    assert len(running) == 2 and named in running


class ElectsNone(PartitionMachine):
    """Leaves partitions without a leader."""

    def elect(self, partition, election, batch):
        yield from ()


NoElections = having("desk.partitions", ElectsNone)


def after_a_failure(controller):
    """A leader fails, and the controller lives. Who leads then?"""
    made = cluster(*THREE, controller=controller)
    made.kill(3)
    made.run()
    return [state(made, each).leader for each in (A0, A1, A2)]


def test_the_controller_elects_where_the_leader_has_failed():
    assert after_a_failure(ClusterController) == [1, 2, 1]


def test_that_check_sees_a_controller_that_elects_none():
    with pytest.raises(AssertionError, match="^LeaderIsLive: .* may lead a-2"):
        after_a_failure(NoElections)


def orders(controller):
    """The order of an assignment and that of the ISR, before and after changes of the latter."""
    made = cluster(*THREE, controller=controller)
    found = [(desk(made).context.assignments[A0].replicas, state(made, A0).isr)]
    made.add_partitions("a", (1, 2))
    made.run()
    shrink(made, A0, 2)
    expand(made, A0, 2)
    assert made.data(topic_path("a"))
    return [*found, (desk(made).context.assignments[A0].replicas, state(made, A0).isr)]


def test_an_assignment_keeps_its_order_and_the_isr_does_not():
    assert orders(ClusterController) == [((1, 2, 3), (1, 2, 3)), ((1, 2, 3), (1, 3, 2))]


def test_that_check_sees_an_assignment_in_another_order():
    assert orders(having("topics", Spreads))[1][0] == (3, 2, 1)


# -- who watches


def watchers(controller):
    """The paths that the controller watches, and those that each other broker does."""
    made = plain(controller)
    for broker in (1, 2, 3):
        made.start(broker)
    made.run()
    made.create_topic("a", *THREE)
    made.run()
    watching = {each.id: each.watching for each in made.tree.live}
    of_controller = watching.pop(made.acting().session.number)
    return of_controller, [set(paths) for paths in watching.values()]


class Watches(ClusterController):
    """Watches what the controller watches, without the office."""

    def of_election(self, event):
        yield from super().of_election(event)
        if not self.acting:
            self.desk.watches.children[DELETIONS] = None
            yield from self.desk.store.children(DELETIONS)


def test_brokers_that_are_no_controller_watch_one_node():
    of_controller, others = watchers(ClusterController)
    assert others == [{CONTROLLER}] * 2 and {CONTROLLER} < of_controller
    assert {"/brokers/ids/", "/brokers/topics/", topic_path("a")} <= of_controller


def test_that_check_sees_others_that_watch_more():
    assert watchers(Watches)[1] == [{CONTROLLER, f"{DELETIONS}/"}] * 2
