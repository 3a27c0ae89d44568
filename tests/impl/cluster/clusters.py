"""Clusters for the tests: with faults in the place of parts, and brought to rest."""

from __future__ import annotations

from operator import attrgetter

from impl.broker.partition import TopicPartition
from impl.cluster.cluster import Member
from impl.cluster.controller import ClusterController
from impl.cluster.settings import Settings
from tests.impl.cluster.judge import JudgedCluster

A0, A1, A2 = (TopicPartition("a", number) for number in range(3))
THREE = ((1, 2, 3), (2, 3, 1), (3, 1, 2))


def cluster(*assignments, brokers=3, settings=Settings(), **planted):  # noqa: B008  # a value
    """A cluster at rest with a topic ``a``. ``planted``: classes in the place of others."""
    classes = {"controller_class": planted.pop("controller", ClusterController)}
    member = type("Planted", (planted.pop("member", Member),), classes)
    kind = type("Planted", (JudgedCluster,), {"member_class": member, **planted})
    made = kind(settings)
    for broker in range(1, brokers + 1):
        made.start(broker)
    made.run()
    if assignments:
        made.create_topic("a", *assignments)
        made.run()
    return made


def having(place, kind):
    """A controller with a part of another class. ``place``: its attribute, as ``desk.store``."""

    class Planted(ClusterController):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            attrgetter(place)(self).__class__ = kind

    return Planted


def desk(made):
    return made.acting().controller.desk


def state(made, partition):
    """What the controller knows of a partition."""
    return desk(made).context.leadership[partition].partition


def leaders(made, *partitions):
    return [state(made, each).leader for each in partitions or (A0, A1, A2)]


def expand(made, partition, replica):
    """The leader takes a replica in that has caught up."""
    member = made.members[state(made, partition).leader]
    member.perform(member.broker.expand(partition, replica))
    made.run()


def shrink(made, partition, replica):
    member = made.members[state(made, partition).leader]
    member.perform(member.broker.shrink(partition, replica))
    made.run()


def interrupted(made, broker, before, at=0):
    """Let a broker go on, and do something before its request of that number; then rest.

    Returns the reasons of its requests up to there.
    """
    reasons = []
    while len(reasons) <= at and made.members[broker].step():
        wanted = made.members[broker].wanted
        if wanted is not None:
            reasons.append(getattr(wanted, "why", "election"))
    before()
    made.run()
    return reasons
