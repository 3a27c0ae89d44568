"""What the duties read in ZooKeeper, and what they write there under the controller's epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from impl.broker.partition import TopicPartition
from impl.cluster.context import Context
from impl.cluster.events import Watches
from impl.cluster.nodes import (
    Assignment,
    PartitionState,
    assignments_of,
    partition_paths,
    state_of,
    state_path,
    topic_path,
    topic_text,
)
from impl.cluster.requests import Children, Giving, Origin, names, performed
from impl.cluster_state import LeaderAndIsr
from impl.controller import EPOCH, ControllerMoved
from impl.zookeeper_requests import (
    Check,
    Code,
    Create,
    Delete,
    Exists,
    Get,
    Multi,
    Part,
    Put,
    Reply,
)


class Store:
    """Reads set the watches that are wanted. Each write checks the version of the epoch's node."""

    def __init__(self, context: Context, watches: Watches) -> None:
        self.context, self.watches = context, watches

    # -- reads

    def children(self, path: str) -> Giving[tuple[str, ...]]:
        """The names of a node's children. They are watched if ``watches`` has them."""
        watch = path in self.watches.children
        reply = yield from performed(f"list {path}", Children(path, watch))
        return names(reply)

    def node(self, path: str) -> Giving[Reply]:
        """A node's data. It is watched, before it is read, if ``watches`` has it."""
        if path in self.watches.nodes:
            yield from performed(f"watch {path}", Exists(path))
        return (yield from performed(f"read {path}", Get(path)))

    def origin(self, path: str) -> Giving[Reply]:
        """A node's data, and which transaction created it. It is watched as in :meth:`node`."""
        if path in self.watches.nodes:
            yield from performed(f"watch {path}", Exists(path))
        return (yield from performed(f"read {path}", Origin(path)))

    def state(self, partition: TopicPartition) -> Giving[PartitionState | None]:
        """A partition's state. None: it has none yet."""
        reply = yield from self.node(state_path(partition))
        return state_of(reply) if reply.ok else None

    def assignments(self, topic: str) -> Giving[dict[TopicPartition, Assignment]]:
        """The assignments of a topic's partitions; none if there is no such topic."""
        reply = yield from self.node(topic_path(topic))
        return assignments_of(topic, reply.data) if reply.ok else {}

    # -- writes

    def fenced(self, why: str, *parts: Part) -> Giving[Reply]:
        """Perform a transaction if no newer controller was elected; ``failed`` counts its parts.

        Raises ControllerMoved if there was one.
        """
        fence = Check(EPOCH, self.context.epoch.version)
        reply = yield from performed(why, Multi((fence, *parts)))
        if not reply.ok and reply.failed == 0:
            raise ControllerMoved
        return reply._replace(failed=reply.failed - 1)

    def create(self, partition: TopicPartition, new: LeaderAndIsr) -> Giving[bool]:
        """Create a partition's state. False if there is another one."""
        *above, path = partition_paths(partition)
        for each in above:
            yield from self.fenced(f"create {each}", Create(each, ""))
        state = PartitionState(new, self.context.epoch.value)
        reply = yield from self.fenced(f"create {path}", Create(path, state.text()))
        if not reply.ok:
            found = yield from self.state(partition)
            if found is None or not found.same_as(state):
                return False
            state = found
        self.context.leadership[partition] = state
        return True

    def update(
        self, partition: TopicPartition, change: Callable[[LeaderAndIsr], LeaderAndIsr | None]
    ) -> Giving[bool]:
        """Write what ``change`` makes of a partition's state, over the state that it saw.

        False if it makes None of it, or there is none. The context has the state afterwards.
        """
        written: PartitionState | None = None
        while True:
            seen = yield from self.state(partition)
            if seen is None:
                self.context.leadership.pop(partition, None)
                return False
            if seen.controller_epoch > self.context.epoch.value:
                raise ControllerMoved
            self.context.leadership[partition] = seen
            if seen.same_as(written):
                return True
            new = change(seen.partition)
            if new is None:
                return False
            written = PartitionState(new, self.context.epoch.value)
            put = Put(state_path(partition), written.text(), seen.partition.version)
            reply = yield from self.fenced(f"write {put.path}", put)
            if reply.ok:
                settled = new._replace(version=reply.version)
                self.context.leadership[partition] = written._replace(partition=settled)
                return True

    def assign(self, topic: str) -> Giving[None]:
        """Write the assignments of a topic's partitions as the context has them.

        Partitions that the context does not have yet stay as they are.
        """
        while True:
            reply = yield from self.node(topic_path(topic))
            if not reply.ok:
                return
            every = assignments_of(topic, reply.data)
            every |= {
                partition: self.context.assignments[partition]
                for partition in self.context.of_topic(topic)
            }
            new = topic_text({each.partition: every[each] for each in every})
            if new == reply.data:
                return
            put = Put(topic_path(topic), new, reply.version)
            reply = yield from self.fenced(f"write {put.path}", put)
            if reply.ok:
                return

    def assign_only(self, topic: str, partitions: Iterable[TopicPartition]) -> Giving[None]:
        """Take all partitions but these out of a topic's node: it is being deleted."""
        kept = {
            partition.partition: self.context.assignments[partition] for partition in partitions
        }
        yield from self.fenced(
            f"write {topic_path(topic)}", Put(topic_path(topic), topic_text(kept))
        )

    def delete(self, paths: Iterable[str]) -> Giving[None]:
        """Delete nodes one after the other. One that is gone already is no matter."""
        for path in paths:
            yield from self.fenced(f"delete {path}", Delete(path))

    def replace(self, path: str, data: str, version: int) -> Giving[bool]:
        """Write a node over a version that was read; without data, delete it."""
        part = Put(path, data, version) if data else Delete(path, version)
        reply = yield from self.fenced(f"write {path}", part)
        return reply.ok or reply.code is Code.NO_NODE
