"""How a scenario of Purgatory runs on the implementation, and the refinement mapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness import abstract_timer, real_timer
from harness.outside import present
from harness.result import raised
from impl import delayed_operation, purgatory
from impl.delay_queue import FOREVER_MS
from impl.runtime import Atomic, Lock

SUBJECT = ("impl.purgatory", "impl.delayed_operation", "impl.watched_operation")
"""The modules whose steps are the mechanism's."""

HELPERS = ("impl.watcher_queue", "impl.watcher_map")
"""Modules that are no mechanism: these scenarios have to run each of their branches, too."""

STEPS = ("L1", "L2", "L3", "L4", "L7", "B1", "B2", "B3", "X1", "P1", "P2", "P3", "P4", "P5", "P6")
"""The labels of an operation's own steps."""

ATOMIC = {
    "impl.delayed_operation": STEPS,
    "impl.watcher_queue": (),
    "impl.watcher_map": (),
    "impl.delay_queue": (),
    "harness.abstract_timer": (),
    "harness.real_timer": (),
    "impl.system_timer": (),
    "impl.timing_wheel": (),
    "impl.timer_task_list": (),
    "impl.overflow_wheel": (),
    "impl.task_executor": (),
    "impl.one_thread": (),
}
"""Modules whose operations are part of their caller's step, and the labels that stay steps."""

COMPOSED = {
    "impl.delayed_operation": STEPS,
    "impl.watcher_queue": (),
    "impl.watcher_map": (),
    "impl.delay_queue": (),
    "harness.abstract_timer": (),
    "impl.clock": (),
    "impl.task_executor": (),
    "impl.one_thread": (),
}
"""Modules that stay atomic in composed runs: all steps of the timer, its wheel and lists are on."""

NOT_RUN = {
    "impl.watcher_map: WatcherMap._add: (of, number) in self.lists is true": (
        "two keys with one hash; tests/impl/test_watcher_map.py has such ones"
    ),
    "impl.watcher_map: WatcherMap.put: key in self.places is true": (
        "the key has a list; without the shard's lock it happens (P6)"
    ),
    **{
        f"impl.delayed_operation: {name}.": (
            "another generation's; delayed_operation's scenarios run it"
        )
        for name in ("TryOnce", "LockedTry")
    },
    "impl.delayed_operation: DelayedOperation.is_completed": (
        "for those who use an operation; tests/impl/test_delayed_operation.py calls it"
    ),
    "impl.watched_operation: WatchedOperation.__init__: lock is None is false": (
        "a lock that the caller hands in; tests/impl/test_delayed_operation.py uses one"
    ),
    "impl.purgatory: Purgatory.new_shard": (
        "the shards of a scenario keep the lists that they make; tests/impl/test_purgatory.py has "
        "others"
    ),
    "impl.purgatory: Purgatory.try_complete_else_watch: not keys is true": (
        "raises ValueError before anything is shared; tests/impl/test_purgatory.py gives no key"
    ),
}
"""Branches that no scenario runs, and why."""


class Classes:
    """The implementation's."""

    Shard, Purgatory = purgatory.Shard, purgatory.Purgatory
    Blocking, TryPending = delayed_operation.Blocking, delayed_operation.TryPending


class Failed(Exception):
    """The exception of an onComplete."""


class Work:
    """The work of an operation, mixed into its class.

    It waits for one condition. ``outer``: the callers' lock that its onComplete takes, or None.
    ``following``: the operations that its onComplete enters. ``armed``: the timer has the
    operation; ``entering``: a thread may still add it. ``due``: the real timer's task, if there is
    one.
    """

    __slots__ = ()

    condition: Atomic[bool]
    keys: tuple[int, ...]
    purgatory: Any
    timer: Any
    armed: bool
    entering: bool
    due: Any
    outer: Any
    following: tuple[Any, ...]
    fails: bool
    completions: Atomic[int]
    expirations: Atomic[int]

    def cancel(self) -> None:
        self.timer.cancel(self)  # update Q1

    def wait_ms(self) -> float:
        return 0 if self.armed or not self.entering else FOREVER_MS

    def try_complete(self) -> bool:
        me: Any = self
        if not self.condition.get():  # read Y1
            return False
        return bool(me.force_complete())

    def on_complete(self) -> None:
        self.completions.add_and_get(1)  # update D1
        if self.outer is not None:
            with self.outer:  # lock D2, unlock D3
                pass
        if self.fails:
            raise Failed
        if self.following:
            # the result is seen where the followed operation is tried
            _ = self.following[0].enter()

    def on_expiration(self) -> None:
        self.expirations.add_and_get(1)  # update V1

    def enter(self) -> bool:
        """Try the operation, or let it wait in the purgatory."""
        try:
            result = self.purgatory.try_complete_else_watch(self, self.keys)
        finally:
            self.timer.entered(self)  # update Z1
        return bool(result)


class Lists:
    """A shard that keeps every list that it has made, mixed into its class."""

    __slots__ = ()

    made: dict[int, tuple[Any, ...]]

    def new_watchers(self, key: int) -> Any:
        watchers = super().new_watchers(key)  # type: ignore[misc]  # of the shard's class
        self.made[key] = (*self.made.get(key, ()), watchers)
        return watchers


class Shards:
    """A purgatory with such shards, mixed into its class."""

    __slots__ = ()

    shard_class: type

    def new_shard(self) -> Any:
        shard: Any = self.shard_class()
        shard.made = {}
        return shard


def worked(base: type) -> Any:
    """The operations' class with the work mixed in."""
    return type(
        "WorkedOperation",
        (Work, base),
        {
            "__slots__": (
                "condition",
                "keys",
                "timer",
                "armed",
                "entering",
                "due",
                "purgatory",
                "outer",
                "following",
                "fails",
                "completions",
                "expirations",
            )
        },
    )


def numbered(shard: type, purgatory: type) -> Any:
    """The purgatory's class, with shards that keep every list."""
    shards = type("NumberedShard", (Lists, shard), {"__slots__": ("made",)})
    return type("NumberedPurgatory", (Shards, purgatory), {"__slots__": (), "shard_class": shards})


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: Any = Classes) -> None:
        """``impl`` has the implementation's classes; a mutant puts its own in their place."""
        self.keys = scenario["keys"]
        need, adds = scenario["need"], scenario["adds"]
        self.conditions = {name: Atomic(False) for name in need.values()}
        self.outer = Lock()
        operations = worked(getattr(impl, scenario["protocol"]))
        self.operations: dict[str, Any] = {name: operations(0) for name in need}
        timers: dict[str, Any] = {"abstract": abstract_timer.Timer, "real": real_timer.Timer}
        self.timer: Any = timers[scenario["timer"]](tuple(self.operations.values()))
        new = numbered(impl.Shard, impl.Purgatory)
        self.purgatory: Any = new(self.timer, scenario["interval"], scenario["shards"])
        for name, condition in need.items():
            operation = self.operations[name]
            operation.timer, operation.armed, operation.entering = self.timer, False, True
            operation.condition = self.conditions[condition]
            operation.keys = tuple([self.keys[key] for key in scenario["keys_of"][name]])
            operation.purgatory = self.purgatory
            operation.outer = self.outer if name in scenario["locking"] else None
            operation.fails = name in scenario["raises"]
            operation.completions, operation.expirations = Atomic(0), Atomic(0)
        for name, operation in self.operations.items():
            operation.following = tuple([self.operations[follower] for follower in adds[name]])
        self.names: dict[str, Any] = {**self.conditions, **self.operations}
        self.names["purgatory"] = self.purgatory
        if scenario["timer"] == "real":
            self.names["timer"] = self.timer.timer

    def watch(self, operation: str) -> object:
        """Enter an operation; whether this thread completed it."""
        try:
            return self.operations[operation].enter()
        except Failed as failure:
            return raised(failure)

    def watch_holding(self, operation: str) -> object:
        """The same by a caller that holds a lock of its own."""
        with self.outer:  # lock J1, unlock J2
            result = self.watch(operation)
        return result

    def deliver(self, condition: str, key: str) -> object:
        """An event: a condition becomes true, and its key is checked."""
        self.conditions[condition].set(True)  # write E1
        return self.check(key)

    def check(self, key: str) -> object:
        """Check a key; how many operations this thread completed."""
        try:
            return self.purgatory.check_and_complete(self.keys[key])
        except Failed as failure:
            return raised(failure)

    def force(self, operation: str) -> object:
        """Complete an operation without an event, as a future's thread does."""
        try:
            return self.operations[operation].force_complete()
        except Failed as failure:
            return raised(failure)

    def expire(self, operation: str) -> object:
        """The timer runs an operation's task, if it gets it."""
        is_taken = self.timer.take(self.operations[operation])  # update K1
        if not is_taken:
            return None
        try:
            return self.operations[operation].run()
        except Failed as failure:
            return raised(failure)

    def cancel_key(self, key: str) -> tuple[str, ...]:
        """Stop watching a key; the names of the operations that were watched."""
        removals = self.purgatory.cancel_for_key(self.keys[key])
        return tuple(
            [
                name
                for operation in removals
                for name, o in self.operations.items()
                if o is operation
            ]
        )

    def purge(self) -> object:
        return self.purgatory.purge()

    def watched(self) -> object:
        return self.purgatory.watched()

    def num_delayed(self) -> object:
        return self.purgatory.num_delayed()


def held(monitor: Any) -> tuple[str | None, int]:
    """Owner and depth of a controlled monitor. A production monitor is read at rest only."""
    owner = getattr(monitor, "owner", None)
    return (owner and owner.name, getattr(monitor, "depth", 0))


def holder(lock: Any) -> str | None:
    """The thread that has a controlled lock."""
    owner = getattr(lock, "owner", None)
    return owner and owner.name


def along(neighbours: Mapping[int, int]) -> list[int]:
    """The places of a list from one end to the other, by their neighbours."""
    places: list[int] = []
    place = neighbours.get(0, 0)
    while place and place not in places:
        places.append(place)
        place = neighbours.get(place, 0)
    return places


def listed(lists: Any) -> dict[Any, Any]:
    """The watcher lists of a shard by key, or nothing where its map is torn."""
    places = sorted(lists.places.values())
    if not places == lists.order == sorted(lists.lists):
        return {"torn": None}
    return {key: lists.lists[place] for key, place in lists.places.items()}


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, in the model's own form."""
    operations = harness.operations.values()
    name = {id(operation): role for role, operation in harness.operations.items()}
    shards = harness.purgatory.shards

    def pending(operation: Any) -> bool:
        note = getattr(operation, "try_complete_pending", None)
        return note is not None and bool(present(note))

    def content(watchers: Any) -> tuple[str | None, ...]:
        queue = watchers.queue
        names_by_place = {
            place: name[id(operation)] for place, operation in queue.operations.items()
        }
        forth, back = along(queue.following), along(queue.before)
        if not forth == back[::-1] == sorted(names_by_place):
            return ("torn",)
        return tuple([names_by_place.get(place) for place in range(1, queue.added + 1)])

    lists, contents = [], []
    for number in harness.keys.values():
        shard = harness.purgatory.shard_of(number)
        lists_of_key = shard.made.get(number, ())
        current = listed(shard.watchers_by_key).get(number)
        lists.append(next((i for i, item in enumerate(lists_of_key, 1) if item is current), 0))
        contents.append(tuple([content(item) for item in lists_of_key]))

    return {
        "ready": tuple([present(condition) for condition in harness.conditions.values()]),
        "completed": tuple([present(operation.completed) for operation in operations]),
        "pending": tuple([pending(operation) for operation in operations]),
        "lock": tuple([held(operation.lock) for operation in operations]),
        "outer": (holder(harness.outer),),
        "armed": tuple([harness.timer.has(operation) for operation in operations]),
        "entering": tuple([harness.timer.enters(operation) for operation in operations]),
        "shard": tuple([holder(shard.lock) for shard in shards]),
        "list": tuple(lists),
        "used": tuple([shard.watchers_by_key.used for shard in shards]),
        "content": tuple(contents),
        "estimated": (present(harness.purgatory.estimated),),
        "completions": tuple([present(operation.completions) for operation in operations]),
        "expirations": tuple([present(operation.expirations) for operation in operations]),
    }
