"""Random requests and events at a broker in virtual time, and properties of what it answers.

``violated(classes, seeds)`` runs scenarios with operations of these classes and returns the names
of the properties that some step violates.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from impl.broker.delayed_delete_records import DelayedDeleteRecords
from impl.broker.delayed_elect_leader import DelayedElectLeader
from impl.broker.delayed_fetch import DelayedFetch, FetchPartition, diverges
from impl.broker.delayed_produce import DelayedProduce
from impl.broker.partition import Error, Partition, TopicPartition
from impl.broker.replica_manager import ReplicaManager
from impl.broker.virtual_time import VirtualTime

NAMES = (TopicPartition("a", 0), TopicPartition("b", 0))
FOLLOWERS = (2, 3)
CLASSES = {
    "produce_class": DelayedProduce,
    "fetch_class": DelayedFetch,
    "delete_class": DelayedDeleteRecords,
    "elect_class": DelayedElectLeader,
}


class Request:
    """A request, its operation, its answers, and what is known of it from step to step."""

    def __init__(self, kind, now, delay, known):
        self.kind, self.since, self.delay, self.known = kind, now, delay, known
        self.operation, self.answers, self.pending = None, [], {}


class Run:
    """One scenario of 60 steps."""

    def __init__(self, seed, classes):
        self.chance, self.time = random.Random(seed), VirtualTime()
        partitions = [Partition(name, FOLLOWERS, min_isr=2) for name in NAMES]
        self.broker = ReplicaManager(partitions, self.time.timer, reaper=False)
        self.requests, self.violated = [], set()
        for name, cls in (CLASSES | classes).items():
            setattr(self.broker, name, self.noted(cls))

    def noted(self, cls):
        """The class, each of whose operations is that of the last request."""

        def make(*arguments):
            self.requests[-1].operation = cls(*arguments)
            return self.requests[-1].operation

        return make

    def request(self, kind, delay, known):
        request = Request(kind, self.time.now_ms(), delay, known)
        self.requests.append(request)

        def answer(result):
            request.answers.append(result)
            self.answered(request, result)

        return answer

    # -- steps

    def step(self):
        steps = (
            self.produce,
            self.fetch,
            self.delete,
            self.elect,
            self.event,
            self.event,
            self.wait,
        )
        self.chance.choice(steps)()
        self.look()

    def produce(self):
        names = self.chance.sample(NAMES, self.chance.choice((1, 2)))
        delay = self.chance.choice((5, 20))
        answer = self.request("produce", delay, None)
        self.broker.append(delay, -1, {name: [10, 20] for name in names}, answer)

    def fetch(self):
        names = self.chance.sample(NAMES, self.chance.choice((1, 2)))
        follower = self.chance.choice((None, None, 2))
        wanted, before = {}, {}
        for name in names:
            view = before[name] = self.broker.view(name)
            wanted[name] = FetchPartition(
                self.chance.choice((view.high_watermark, view.end, view.end + 2)),
                self.chance.choice((None, view.epoch, view.epoch - 1)),
                self.chance.choice((None, view.epoch, 0)) if follower else None,
            )
        if follower is not None and any(each.offset > before[n].end for n, each in wanted.items()):
            follower = None
        delay, least = self.chance.choice((5, 20)), self.chance.choice((1, 25, 70))
        answer = self.request("fetch", delay, (wanted, follower, least))
        self.broker.fetch(delay, least, wanted, answer, follower)

    def delete(self):
        names = self.chance.sample(NAMES, self.chance.choice((1, 2)))
        delay = self.chance.choice((5, 20))
        before = {name: self.broker.view(name).high_watermark for name in names}
        answer = self.request("delete", delay, None)
        self.broker.delete_records(delay, before, answer)

    def elect(self):
        name, delay = self.chance.choice(NAMES), self.chance.choice((5, 20))
        expected = {name: self.chance.choice((1, 2, 3))}
        answer = self.request("elect", delay, expected)
        self.broker.elect_leaders(delay, expected, answer)

    def event(self):
        name, chance = self.chance.choice(NAMES), self.chance
        view, follower = self.broker.view(name), self.chance.choice(FOLLOWERS)
        end = chance.randint(view.high_watermark, view.end)
        what = chance.randrange(8)
        if what < 4 and view.leads:
            known = self.broker.partitions[name].followers[follower]
            self.broker.follower_fetched(
                name, follower, max(end, min(known.end, view.end)), min(view.start, end)
            )
        elif what == 4:
            self.broker.become_follower(name, view.epoch + 1, end)
        elif what == 5:
            # The log is cut, and the purgatory sees the partition when it is led again.
            self.broker.partitions[name].follow(view.epoch + 1, end)
            self.broker.become_leader(name, view.epoch + 2)
        elif what == 6:
            self.broker.become_leader(name, view.epoch + 1)
        else:
            self.broker.metadata(name, chance.choice((1, 2, 3)))

    def wait(self):
        self.time.advance(self.chance.choice((1, 3, 9)))

    # -- properties

    def holds(self, name, truth):
        if not truth:
            self.violated.add(name)

    def in_time(self, request):
        return self.time.now_ms() - request.since < request.delay

    def answered(self, request, result):
        """Judge an answer when it comes."""
        getattr(self, f"answered_{request.kind}")(request, result)

    def answered_produce(self, request, result):
        for name, each in result.items():
            view = self.broker.view(name)
            if each.error is Error.NONE and request.operation is not None:
                pending = request.pending.get(name, True)
                self.holds("NoErrorMeansReplicated", not pending or view.high_watermark >= each.end)
            if each.error is Error.REQUEST_TIMED_OUT:
                self.holds("TimedOutAfterItsTime", not self.in_time(request))

    def answered_fetch(self, request, result):
        wanted, follower, least = request.known
        total = sum(sum(each.sizes) for each in result.values())
        if self.in_time(request) and not any(self.ends(n, a, follower) for n, a in wanted.items()):
            self.holds("MinBytesBeforeItsTime", total >= least)
        for name, each in result.items():
            if follower is None:
                reached = wanted[name].offset + len(each.sizes)
                self.holds(
                    "ConsumersSeeReplicated",
                    not each.sizes or reached <= self.broker.view(name).high_watermark,
                )

    def answered_delete(self, request, result):
        for name, each in result.items():
            if each.error is Error.NONE:
                low = self.broker.view(name).low_watermark
                required = request.operation.statuses[name].required_offset
                self.holds("DeletedOnAllReplicas", low >= required)
            if each.error is Error.REQUEST_TIMED_OUT:
                self.holds("TimedOutAfterItsTime", not self.in_time(request))

    def answered_elect(self, request, result):
        for name, error in result.items():
            if error is Error.NONE:
                self.holds("ElectedLeads", self.broker.leaders.get(name) == request.known[name])
            if error is Error.REQUEST_TIMED_OUT:
                self.holds("TimedOutAfterItsTime", not self.in_time(request))

    def ends(self, name, wanted, follower):
        """The property by which a partition ends a fetch at once, or None."""
        view = self.broker.view(name)
        if view.error(wanted.epoch) is not Error.NONE:
            return "LeaderChangeEndsFetch"
        if wanted.offset > (view.high_watermark if follower is None else view.end):
            return "TruncationEndsFetch"
        return None if diverges(view, wanted) is None else "DivergenceEndsFetch"

    def look(self):
        """Judge every request after a step."""
        for request in self.requests:
            self.holds("AnsweredOnce", len(request.answers) <= 1)
            if not request.answers:
                self.holds("AnsweredInTime", self.in_time(request))
            operation = request.operation
            if request.kind in ("produce", "delete") and operation is not None:
                for name, status in operation.statuses.items():
                    was = request.pending.get(name, True)
                    self.holds("AcksStayDone", was or not status.acks_pending)
                    request.pending[name] = was and status.acks_pending
            if not request.answers:
                self.look_at_open(request)

    def look_at_open(self, request):
        operation = request.operation
        if request.kind == "produce":
            pending = [n for n, each in operation.statuses.items() if each.acks_pending]
            lead = [self.broker.view(name).leads for name in pending]
            self.holds("LeaderChangeEndsProduce", any(lead))
            enough = [
                self.broker.view(name).high_watermark >= operation.statuses[name].required_offset
                for name in pending
            ]
            self.holds("ReplicatedIsAnswered", not all(enough))
        if request.kind == "fetch":
            wanted, follower, least = request.known
            total = 0
            for name, each in wanted.items():
                why = self.ends(name, each, follower)
                self.holds(why or "", why is None)
                view = self.broker.view(name)
                end = view.high_watermark if follower is None else view.end
                total += self.broker.bytes_between(name, each.offset, end)
            self.holds("MinBytesEndFetch", total < least)
        if request.kind == "elect":
            known = {name: self.broker.leaders.get(name) for name in request.known}
            self.holds("ElectedIsAnswered", known != request.known)


def violated(classes: dict[str, type], seeds: Iterable[int], until: str | None = None) -> set[str]:
    """Names of the properties that these operations violate in some scenario of 60 steps.

    ``until``: a property whose violation ends the search.
    """
    found: set[str] = set()
    for seed in seeds:
        run = Run(seed, classes)
        for _ in range(60):
            run.step()
        run.time.advance(50)
        run.look()
        found |= run.violated
        if until in found:
            break
    return found
