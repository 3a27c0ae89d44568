"""A cluster's life, drawn by Hypothesis: what happens between any two requests, and then rest."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from impl.broker.partition import TopicPartition
from impl.cluster.events import ElectionEvent
from impl.cluster.settings import Settings
from impl.controller import EPOCH
from tests.impl.cluster.judge import JudgedCluster

BROKERS = (1, 2, 3, 4)
TOPICS = ("a", "b")
broker = st.sampled_from(BROKERS)
replicas = st.lists(broker, min_size=1, max_size=3, unique=True)


class Life(RuleBasedStateMachine):
    """Four brokers and two topics. Steps are single requests, so that handlers are interrupted."""

    cluster_class = JudgedCluster

    @initialize(first=st.lists(replicas, min_size=1, max_size=2), unclean=st.booleans())
    def begin(self, first, unclean):
        self.cluster = self.cluster_class(Settings(unclean=unclean, first_check_ms=10, check_ms=50))
        self.cluster.tree.unclean = unclean
        for each in BROKERS[:3]:
            self.cluster.start(each)
        self.cluster.run()
        self.cluster.create_topic("a", *first)

    @property
    def members(self):
        return self.cluster.members

    @rule(broker=broker, requests=st.integers(1, 12))
    def go_on(self, broker, requests):
        if broker in self.members:
            for _ in range(requests):
                self.members[broker].step()

    @rule(sender=broker, broker=broker)
    def deliver(self, sender, broker):
        if sender in self.members:
            self.cluster.deliver(sender, broker)

    @rule()
    def rest(self):
        self.cluster.run()

    @rule(ms=st.sampled_from((10, 60)))
    def wait(self, ms):
        self.cluster.clock.advance(ms)

    # -- processes and sessions

    @rule(broker=broker)
    def start_or_kill(self, broker):
        if broker in self.members:
            self.cluster.kill(broker)
        else:
            self.cluster.start(broker)

    @rule(broker=broker)
    def bounce(self, broker):
        if broker in self.members:
            self.cluster.kill(broker)
            self.cluster.start(broker)

    @rule(broker=broker)
    def expire(self, broker):
        if broker in self.members:
            self.members[broker].expire()

    @rule(broker=broker, when=st.sampled_from(("before", "after")))
    def lose_reply(self, broker, when):
        if broker in self.members:
            self.members[broker].session.drop_reply(when)

    @precondition(lambda self: self.cluster.named() is not None)
    @rule()
    def remove_controller(self):
        self.cluster.remove_controller()

    @rule(broker=broker)
    def move(self, broker):
        """A broker gives the office up, if it has it."""
        if broker in self.members:
            self.members[broker].inbox.put(ElectionEvent("move"))

    @rule(broker=broker)
    def shut_down(self, broker):
        if broker in self.members:
            self.cluster.shut_down(broker)

    # -- administration

    @rule(topic=st.sampled_from(TOPICS), first=st.lists(replicas, min_size=1, max_size=2))
    def create_topic(self, topic, first):
        self.cluster.create_topic(topic, *first)

    @rule(topic=st.sampled_from(TOPICS), more=replicas)
    def add_partition(self, topic, more):
        if self.cluster.data(f"/brokers/topics/{topic}"):
            self.cluster.add_partitions(topic, more)

    @rule(topic=st.sampled_from(TOPICS))
    def delete_topic(self, topic):
        self.cluster.delete_topic(topic)

    @rule(topic=st.sampled_from(TOPICS), number=st.integers(0, 1), goal=replicas)
    def reassign(self, topic, number, goal):
        self.cluster.reassign({TopicPartition(topic, number): goal})

    @rule(topic=st.sampled_from(TOPICS), number=st.integers(0, 1))
    def prefer(self, topic, number):
        self.cluster.prefer(TopicPartition(topic, number))

    # -- leaders

    @rule(topic=st.sampled_from(TOPICS), number=st.integers(0, 1), replica=broker)
    def expand(self, topic, number, replica):
        partition = TopicPartition(topic, number)
        for member in [*self.members.values()]:
            if member.broker.leads(partition) and replica in self.members:
                member.perform(member.broker.recovered(partition))
                member.perform(member.broker.expand(partition, replica))

    @rule(topic=st.sampled_from(TOPICS), number=st.integers(0, 1), replica=broker)
    def shrink(self, topic, number, replica):
        partition = TopicPartition(topic, number)
        for member in [*self.members.values()]:
            if member.broker.leads(partition):
                member.perform(member.broker.shrink(partition, replica))

    @invariant()
    def one_acts_in_the_present_epoch(self):
        """Others may take themselves for the controller, in an epoch of the past."""
        if hasattr(self, "cluster"):
            now = int(self.cluster.data(EPOCH))
            acting = [each.controller for each in self.members.values() if each.controller.acting]
            present = [each.id for each in acting if each.own.value == now]
            assert len(present) <= 1, f"OneController: {present} act in epoch {now}"

    def teardown(self):
        if hasattr(self, "cluster"):
            self.cluster.run()
