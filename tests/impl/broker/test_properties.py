"""The operations of the broker keep their properties, and planted faults violate them by name."""

from __future__ import annotations

import pytest

from impl.broker.delayed_delete_records import DelayedDeleteRecords, Deleted
from impl.broker.delayed_elect_leader import DelayedElectLeader
from impl.broker.delayed_fetch import DelayedFetch
from impl.broker.delayed_produce import DelayedProduce
from impl.broker.partition import Error
from tests.impl.broker.properties import CLASSES, violated

SEEDS = range(40)


class AcksComeBack(DelayedProduce):
    """Acks are pending again when the high watermark falls."""

    def try_complete(self):
        for name, status in self.statuses.items():
            view = self.partitions.view(name)
            status.acks_pending |= view is not None and view.high_watermark < status.required_offset
        return super().try_complete()


class OneIsEnough(DelayedProduce):
    """Completes at the high watermark of one partition."""

    def try_complete(self):
        done = super().try_complete()
        return done or (
            any(not each.acks_pending for each in self.statuses.values()) and self.force_complete()
        )


class NoErrorFromTheStart(DelayedProduce):
    """The answer at the timeout says that there was no error."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        for status in self.statuses.values():
            if status.acks_pending:
                status.error = Error.NONE


class LeadsForEver(DelayedProduce):
    """Waits for the high watermark of a partition that another broker leads."""

    def enough_replicas(self, name, required):
        enough, error = super().enough_replicas(name, required)
        return enough, Error.NONE if error is Error.NOT_LEADER_OR_FOLLOWER else error


class LeadersAcksAlone(DelayedProduce):
    """Completes when the leader's own log has the records."""

    def enough_replicas(self, name, required):
        view = self.partitions.view(name)
        return view is not None and view.end >= required, Error.NONE


class SaysNothing(DelayedProduce):
    """Completes without an answer."""

    def on_complete(self):
        pass


class AnswersTwice(DelayedProduce):
    """Answers when it completes, and at its expiration."""

    def on_expiration(self):
        self.on_complete()


class OverlooksTruncation(DelayedFetch):
    """Waits for bytes behind the end of a log that was cut."""

    def truncated(self, view, wanted):
        return False


class AnyByteIsEnough(DelayedFetch):
    """Completes with a byte."""

    def try_complete(self):
        self.min_bytes = min(self.min_bytes, 1)
        return super().try_complete()


class CountsUnreplicated(DelayedFetch):
    """Counts bytes of a consumer's answer up to the log's end."""

    def end(self, view):
        return view.end


class OverlooksEpochs(DelayedFetch):
    """Waits although there is another leader, or another epoch."""

    def try_complete(self):
        self.wanted = {name: each._replace(epoch=None) for name, each in self.wanted.items()}
        return super().try_complete()


class OverlooksDivergence(DelayedFetch):
    """Waits although the fetcher's log is another one."""

    def try_complete(self):
        self.wanted = {name: each._replace(last_epoch=None) for name, each in self.wanted.items()}
        return super().try_complete()


class NeverEnough(DelayedFetch):
    """Waits for its timeout."""

    def available(self, name, view, wanted):
        return 0


class LeadersDeletionAlone(DelayedDeleteRecords):
    """Completes when the leader has deleted."""

    def try_complete(self):
        for status in self.statuses.values():
            if status.acks_pending:
                status.acks_pending = False
                status.answer = Deleted(Error.NONE, status.required_offset)
        return self.force_complete()


class AnyLeader(DelayedElectLeader):
    """Takes any leader for the one that it waits for."""

    def try_complete(self):
        for name in tuple(self.waiting):
            if self.leader_of(name) is not None:
                self.results[name] = Error.NONE
                del self.waiting[name]
        return not self.waiting and self.force_complete()


class GivesUp(DelayedElectLeader):
    """Says that the time is over as soon as it is entered."""

    def try_complete(self):
        return super().try_complete() or self.force_complete()


class HearsNothing(DelayedElectLeader):
    """Waits for its timeout."""

    def try_complete(self):
        return False


FAULTS = {
    AcksComeBack: ("produce_class", "AcksStayDone"),
    OneIsEnough: ("produce_class", "TimedOutAfterItsTime"),
    NoErrorFromTheStart: ("produce_class", "NoErrorMeansReplicated"),
    LeadsForEver: ("produce_class", "LeaderChangeEndsProduce"),
    LeadersAcksAlone: ("produce_class", "NoErrorMeansReplicated"),
    SaysNothing: ("produce_class", "AnsweredInTime"),
    AnswersTwice: ("produce_class", "AnsweredOnce"),
    OverlooksTruncation: ("fetch_class", "TruncationEndsFetch"),
    AnyByteIsEnough: ("fetch_class", "MinBytesBeforeItsTime"),
    CountsUnreplicated: ("fetch_class", "MinBytesBeforeItsTime"),
    OverlooksEpochs: ("fetch_class", "LeaderChangeEndsFetch"),
    OverlooksDivergence: ("fetch_class", "DivergenceEndsFetch"),
    NeverEnough: ("fetch_class", "MinBytesEndFetch"),
    LeadersDeletionAlone: ("delete_class", "DeletedOnAllReplicas"),
    AnyLeader: ("elect_class", "ElectedLeads"),
    GivesUp: ("elect_class", "TimedOutAfterItsTime"),
    HearsNothing: ("elect_class", "ElectedIsAnswered"),
}


def test_the_operations_keep_every_property():
    assert violated({}, SEEDS) == set()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.__name__)
def test_a_fault_is_rejected_by_its_property(fault):
    place, name = FAULTS[fault]
    assert issubclass(fault, CLASSES[place])
    assert name in violated({place: fault}, SEEDS, name)
