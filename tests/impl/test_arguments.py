"""Every constructor that users call refuses arguments of another kind, before a thread starts.

The parameters are read from the constructors' signatures, so that one that comes later is checked.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import threading
from concurrent.futures import Future

import pytest

import impl
import impl.broker
from impl import arguments
from impl.baselines import JdkTimer
from impl.broker.group import Coordinator
from impl.clock import VirtualClock
from impl.controller import Elector
from impl.controller_events import Connection, Events
from impl.coordinator_load import Loader, Log
from impl.delay_queue import DelayQueue
from impl.delayed_operation_purgatory import DelayedOperationPurgatory
from impl.event_queue import EventManager
from impl.runtime import Atomic, Monitor
from impl.share_fetch import SharePartition
from impl.system_timer import SystemTimer
from impl.zookeeper import ZooKeeper
from tests.impl.test_delayed_operation_purgatory import Still
from tests.impl.timers import Drained


class Handled:
    """A handler of events that does nothing."""

    def process(self):
        pass

    preempt = process


def connection():
    return Connection(ZooKeeper(), Events())


def coordinator():
    purgatory = DelayedOperationPurgatory("join", Still(), reaper_enabled=False)
    return Coordinator(purgatory, 20, 60, print)


TIMERS = {"executor": Drained, "clock": VirtualClock, "queue": DelayQueue}
VALID = {
    "impl.baselines.JdkTimer": {},
    "impl.baselines.JdkTimerThread": {"timer": JdkTimer},
    "impl.broker.delayed_delete_records.DelayedDeleteRecords": {
        "delay_ms": int,
        "deleted": dict,
        "partitions": object,
        "callback": lambda: print,
    },
    "impl.broker.delayed_elect_leader.DelayedElectLeader": {
        "delay_ms": int,
        "expected": dict,
        "failed": dict,
        "leader_of": lambda: print,
        "callback": lambda: print,
    },
    "impl.broker.delayed_fetch.DelayedFetch": {
        "delay_ms": int,
        "min_bytes": int,
        "follower": int,
        "wanted": dict,
        "partitions": object,
        "answer": lambda: print,
    },
    "impl.broker.delayed_produce.DelayedProduce": {
        "delay_ms": int,
        "appended": dict,
        "partitions": object,
        "callback": lambda: print,
    },
    "impl.broker.group.Coordinator": {
        "purgatory": lambda: coordinator().purgatory,
        "initial_delay_ms": int,
        "rebalance_timeout_ms": int,
        "joined": lambda: print,
    },
    "impl.broker.group.DelayedJoin": {"coordinator": coordinator, "group": object, "delay_ms": int},
    "impl.broker.partition.Partition": {"name": object, "followers": tuple},
    "impl.broker.replica_manager.ReplicaManager": {"partitions": tuple, "timer": Still},
    "impl.clock.VirtualClock": {},
    "impl.controller_events.Connection": {"zookeeper": ZooKeeper, "events": Events},
    "impl.controller_thread.ControllerThread": {
        "elector": lambda: Elector("a"),
        "events": Events,
        "connection": connection,
    },
    "impl.coordinator_load.CoordinatorRuntime": {
        "log": lambda: Log(0, 0),
        "loader": lambda: Loader(Log(0, 0)),
    },
    "impl.coordinator_load.Loader": {"log": lambda: Log(0, 0)},
    "impl.coordinator_load.Log": {"end": int, "high_watermark": int},
    "impl.delayed_future.DelayedFuture": {
        "timeout_ms": int,
        "futures": lambda: [Future()],
        "response_callback": lambda: print,
    },
    "impl.delayed_future.DelayedFuturePurgatory": {"name": str, "timer": Still},
    "impl.delayed_operation.DelayedOperation": {"delay_ms": int, "lock": Monitor},
    "impl.delayed_operation.TryPending": {"delay_ms": int, "lock": Monitor},
    "impl.delayed_operation_purgatory.DelayedOperationPurgatory": {"name": str, "timer": Still},
    "impl.event_queue.EventManager": {},
    "impl.event_queue.QueuedEvent": {"handler": Handled},
    "impl.one_thread.OneThread": {"name": str, "initializer": lambda: print},
    "impl.parted_timer.PartedTimer": TIMERS,
    "impl.purgatory.Purgatory": {"timer": Still, "purge_interval": int, "shards": lambda: 1},
    "impl.session_client.SessionClient": {"events": EventManager},
    "impl.share_fetch.ShareFetch": {"partition": SharePartition},
    "impl.share_fetch.SharePartition": {},
    "impl.system_timer.SystemTimer": TIMERS,
    "impl.system_timer_reaper.Reaper": {"name": str, "timer": Still},
    "impl.system_timer_reaper.SystemTimerReaper": {"name": str, "timer": Still},
    "impl.task_executor.TaskExecutor": {"executor": Drained},
    "impl.timer_task_list.TimerTask": {"delay_ms": int},
    "impl.timing_wheel.TimingWheel": {
        "tick_ms": lambda: 1,
        "wheel_size": lambda: 2,
        "start_ms": int,
        "task_counter": lambda: Atomic(0),
        "queue": DelayQueue,
        "clock": VirtualClock,
    },
    "impl.watched_operation.WatchedOperation": {"delay_ms": int, "lock": Monitor},
}
"""Class -> a maker of each argument that has no default, or that must not be the default."""

STARTED = {
    "impl.baselines.JdkTimerThread": lambda thread: thread.close(),
    "impl.broker.replica_manager.ReplicaManager": lambda manager: manager.shutdown(),
    "impl.delayed_future.DelayedFuturePurgatory": lambda purgatory: purgatory.close(),
    "impl.delayed_operation_purgatory.DelayedOperationPurgatory": lambda purgatory: (
        purgatory.close()
    ),
    "impl.system_timer_reaper.Reaper": lambda reaper: reaper.close(None),
    "impl.system_timer_reaper.SystemTimerReaper": lambda reaper: reaper.close(),
}
"""Classes whose constructors start a thread, and how it ends."""

INNER = {
    "impl.atomic.Atomic": "any value",
    "impl.baselines.Delay": "JdkTimer makes it, which checks the times",
    "impl.baselines.JdkTimerTask": "JdkTimer makes it, which checks the times",
    "impl.broker.delayed_delete_records.DeleteStatus": "DelayedDeleteRecords makes it",
    "impl.broker.delayed_produce.ProduceStatus": "DelayedProduce makes it",
    "impl.broker.group.Group": "a name: no thread, no collaborator",
    "impl.broker.group.InitialDelayedJoin": "Coordinator makes it, which checks the times",
    "impl.cluster_state.ClusterState": "numbers of brokers: no thread, no collaborator",
    "impl.condition.Condition": "any lock of the runtime",
    "impl.controller.Elector": "a broker's name: no thread, no collaborator",
    "impl.controller_events.Events": "texts: no thread, no collaborator",
    "impl.coordinator_load.Begin": "CoordinatorRuntime makes it",
    "impl.coordinator_load.Complete": "Loader makes it",
    "impl.coordinator_load.Context": "CoordinatorRuntime makes it",
    "impl.coordinator_load.Rise": "Context makes it",
    "impl.coordinator_load.Serve": "CoordinatorRuntime makes it",
    "impl.coordinator_load.Unload": "CoordinatorRuntime makes it",
    "impl.delayed_operation_purgatory.Around": (
        "DelayedOperationPurgatory makes it and checks the timer"
    ),
    "impl.delayed_operation_purgatory.Purging": "DelayedOperationPurgatory makes it",
    "impl.partition_leader.PartitionElections": "the steps of a mechanism, on its state",
    "impl.partition_leader.PartitionLeader": "the steps of a mechanism, on its state",
    "impl.purgatory.Watchers": "Shard makes it",
    "impl.read_write_lock.ReadLock": "ReadWriteLock makes it",
    "impl.read_write_lock.WriteLock": "ReadWriteLock makes it",
    "impl.timer_task_list.TimerTaskEntry": "SystemTimer makes it, which checks the deadline",
    "impl.timer_task_list.TimerTaskList": "TimingWheel makes it",
    "impl.timing_wheel.Bucket": "TimingWheel makes it, which checks the clock",
    "impl.zookeeper.ZooKeeper": "nodes: no thread, no collaborator",
}
"""Classes whose constructors check nothing of their own, and why."""

WRONG = {
    "int": (True, 1.5, math.nan, "1"),
    "bool": (0, 1, "no", None),
    "str": (1, b"name", None),
    "function": (1, "name", None),
    "object": (1, "name", object(), SystemTimer),
}
"""What each kind of parameter refuses. None is refused where it is no default."""

DATA = ("Mapping", "Sequence[P", "Sequence[i", "TopicPartition", "Partitions", "Group", "Atomic")
"""How annotations of parameters begin that no constructor checks: what operations read."""


def classes():
    """Every class of ``impl/`` and ``impl/broker/`` with a constructor that has parameters."""
    for package in (impl, impl.broker):
        for info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            if info.ispkg:
                continue
            module = importlib.import_module(info.name)
            for kind in vars(module).values():
                if not isinstance(kind, type) or kind.__module__ != info.name:
                    continue
                own = "__init__" in vars(kind) and not getattr(kind, "_is_protocol", False)
                if own and len(inspect.signature(kind.__init__).parameters) > 1:
                    yield f"{info.name}.{kind.__name__}", kind


CLASSES = dict(classes())


def kind_of(annotation):
    """The kind of a parameter, or None for data."""
    plain = annotation.removesuffix(" | None")
    if plain.startswith("Callable") or plain == "Joined":
        return "function"
    if plain.startswith(DATA):
        return None
    return plain if plain in WRONG else "object"


def cases():
    for name in VALID:
        for each in list(inspect.signature(CLASSES[name].__init__).parameters.values())[1:]:
            kind = kind_of(each.annotation)
            if name.startswith("impl.baselines") and each.annotation == "Clock":
                kind = "function"
            for wrong in WRONG.get(kind, ()):
                if wrong is not None or "None" not in each.annotation:
                    yield name, each.name, wrong


def made(name, **other):
    """An object of a class, with valid arguments but for ``other``."""
    valid = {each: make() for each, make in VALID[name].items() if each not in other}
    return CLASSES[name](**valid, **other)


def test_each_constructor_is_checked_or_says_why_not():
    assert set(VALID) | set(INNER) == set(CLASSES) and not set(VALID) & set(INNER)


@pytest.mark.parametrize(("name", "parameter", "wrong"), cases())
def test_a_constructor_refuses(name, parameter, wrong):
    before = set(threading.enumerate())
    with pytest.raises(TypeError, match=rf"\b{parameter.removesuffix('s')}"):
        made(name, **{parameter: [wrong] if parameter == "futures" else wrong})
    assert set(threading.enumerate()) <= before, "a thread is left behind"


@pytest.mark.parametrize(
    ("name", "parameter", "least"),
    [
        ("impl.broker.group.Coordinator", "initial_delay_ms", 0),
        ("impl.broker.group.Coordinator", "rebalance_timeout_ms", 0),
        ("impl.broker.partition.Partition", "min_isr", 1),
        ("impl.clock.VirtualClock", "start_ms", 0),
        ("impl.delayed_operation_purgatory.DelayedOperationPurgatory", "purge_interval", 0),
        ("impl.delayed_operation_purgatory.DelayedOperationPurgatory", "shards", 1),
        ("impl.parted_timer.PartedTimer", "part_size", 1),
        ("impl.system_timer.SystemTimer", "start_ms", 0),
        ("impl.system_timer.SystemTimer", "tick_ms", 1),
        ("impl.system_timer.SystemTimer", "wheel_size", 2),
    ],
)
def test_a_number_below_the_least_is_refused(name, parameter, least):
    made(name, **{parameter: least})
    with pytest.raises(ValueError, match=f"{parameter} is {least - 1}, and must be at least"):
        made(name, **{parameter: least - 1})


@pytest.mark.parametrize("name", VALID)
def test_valid_arguments_are_taken(name):
    before = set(threading.enumerate())
    thing = made(name)
    if name in STARTED:
        STARTED[name](thing)
    assert set(threading.enumerate()) <= before, "a thread is left behind"


class Unchecked(SystemTimer):
    """A mutant whose executor may be anything."""

    __slots__ = ()

    def __init__(self, **other):
        other.pop("executor", None)
        super().__init__(Drained(), **other)


def test_that_check_sees_a_constructor_that_takes_anything(monkeypatch):
    monkeypatch.setitem(CLASSES, "impl.system_timer.SystemTimer", Unchecked)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        test_a_constructor_refuses("impl.system_timer.SystemTimer", "executor", object())


def test_and_a_check_that_takes_a_bool_for_an_int(monkeypatch):
    monkeypatch.setattr("impl.parted_timer.whole", lambda name, value, least=None: value < 1)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        test_a_constructor_refuses("impl.parted_timer.PartedTimer", "part_size", True)


def test_a_wrong_argument_is_named_with_its_value():
    for check in (arguments.whole, arguments.flag, arguments.text, arguments.function):
        with pytest.raises(TypeError, match="the size is None, and must be "):
            check("the size", None)
    with pytest.raises(TypeError, match="the size is 1, and must be an object with the methods of"):
        arguments.able("the size", 1, SystemTimer)
