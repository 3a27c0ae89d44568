"""The rules of the wheel, its clock and its delay queue: the part of ``rules.TimerState`` that
needs more than lists and tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from traces.events import Refusal, Step
from traces.schema import NONE, NOT_QUEUED


class WheelRules:
    """``keys``: of buckets; ``queued``: bucket -> the key with which it was put into the queue;
    ``wheel_ms``: the lowest level's clock, None where it is not known. ``tick_ms`` and
    ``wheel_size``: of the lowest level, None without a configuration. ``published``: the levels,
    and the words that name a level above, that a thread was seen to publish."""

    keys: dict[int, int]
    rings: dict[int, dict[int, None]]
    queued: dict[int, int]
    tick_ms: int | None
    wheel_size: int | None
    published: set[tuple[int, int] | str]

    @property
    def wheel_ms(self) -> int | None:
        raise NotImplementedError

    def recorded(self, kind: str) -> bool:
        raise NotImplementedError

    def _look(self, name: str) -> None:
        raise NotImplementedError

    def _judges_of_wheels(self) -> dict[str, Callable[[Step, Any], Refusal | None]]:
        return {
            "bucket_expiry_set": self._bucket_expiry_set,
            "dq_offer": self._dq_offer,
            "dq_poll": self._dq_poll,
            "clock_advance": self._clock_advance,
            "wheel_new": self._wheel_new,
            "bucket_new": self._bucket_new,
            "overflow_create": self._overflow_create,
        }

    def _bucket_expiry_set(self, event: Step, thread: Any) -> Refusal | None:
        bucket, seen = event["list"], event.get("pre", {}).get("key_ms")
        self._look("QueuedOnceWithItsKey")
        if (
            event["key_ms"] != NOT_QUEUED
            and thread.linked not in (None, bucket)
            and self.recorded("list_add")
        ):
            return Refusal(
                "QueuedOnceWithItsKey",
                f"list {bucket} is given the key {event['key_ms']} by a thread that has not "
                "linked an entry into it before: a flush that "
                "comes in between finds nothing, and what is linked then is in no queue",
            )
        if seen is not None and self.keys.get(bucket, seen) != seen:
            return Refusal(
                "QueuedOnceWithItsKey",
                f"list {bucket} had the key {self.keys[bucket]}, and {seen} is found",
            )
        if event["key_ms"] == NOT_QUEUED and (left := self.rings.get(bucket)):
            return Refusal(
                "QueuedOnceWithItsKey",
                f"the key of list {bucket} is reset while entry {next(iter(left))} is in it: "
                "no thread queues it again",
            )
        if seen not in (None, NOT_QUEUED) and event["key_ms"] not in (NOT_QUEUED, seen):
            return Refusal(
                "QueuedOnceWithItsKey",
                f"list {bucket} is given the key {event['key_ms']} while it is queued with {seen}",
            )
        return None

    def _dq_offer(self, event: Step, thread: Any) -> Refusal | None:
        bucket, key = event["list"], event["key_ms"]
        self._look("QueuedOnceWithItsKey")
        if bucket in self.queued:
            return Refusal(
                "QueuedOnceWithItsKey",
                f"list {bucket} is put into the queue with the key {key}, and is in it with "
                f"{self.queued[bucket]}",
            )
        return None

    def _dq_poll(self, event: Step, thread: Any) -> Refusal | None:
        bucket, key = event.get("list"), event.get("key_ms")
        if bucket is None:
            return None
        self._look("QueuedOnceWithItsKey")
        if bucket not in self.queued:
            return (
                Refusal(
                    "QueuedOnceWithItsKey",
                    f"list {bucket} is taken from the queue, and is not in it",
                )
                if self.recorded("dq_offer")
                else None
            )
        if key is not None and key != self.queued[bucket]:
            return Refusal(
                "QueuedOnceWithItsKey",
                f"list {bucket} is taken from the queue with the key {key}, and was put there "
                f"with {self.queued[bucket]}",
            )
        return None

    def _clock_advance(self, event: Step, thread: Any) -> Refusal | None:
        if event.get("level", 1) != 1 or self.wheel_ms is None:
            return None
        self._look("NotEarly")
        if event["wheel_ms"] <= self.wheel_ms:
            return Refusal(
                "NotEarly", f"the wheel's clock goes from {self.wheel_ms} to {event['wheel_ms']} ms"
            )
        return None

    def _left_keyed(self, event: Step, thread: Any) -> Refusal | None:
        """A thread that has flushed a bucket has reset its key before another links into it."""
        bucket = event.get("list")
        if (
            bucket is None
            or bucket != thread.flushed
            or not self.recorded("bucket_expiry_set")
            or bucket not in self.keys
        ):
            return None
        self._look("QueuedOnceWithItsKey")
        if self.keys[bucket] != NOT_QUEUED:
            return Refusal(
                "QueuedOnceWithItsKey",
                f"list {bucket} is let go after its flush with the key {self.keys[bucket]}: who "
                "links into it next finds no other key, and queues nothing",
            )
        return None

    # -- levels

    def _wheel_new(self, event: Step, thread: Any) -> Refusal | None:
        """A level's tick is the turn of the one below, and its clock is where that of the lowest
        is, rounded down."""
        level, clock, tick = (
            event.get("level"),
            event.get("wheel_ms"),
            event.get("pre", {}).get("key_ms"),
        )
        if level is None or not self.tick_ms or not self.wheel_size:
            return None
        due = self.tick_ms * self.wheel_size ** (level - 1)
        self._look("LevelBound")
        if tick is not None and tick != due:
            return Refusal(
                "LevelBound",
                f"level {level} is made with ticks of {tick} ms, and the levels below take {due} "
                "ms to a turn",
            )
        if (
            clock is not None
            and self.wheel_ms is not None
            and clock != self.wheel_ms - self.wheel_ms % due
        ):
            return Refusal(
                "LevelBound",
                f"level {level} begins at {clock} ms while the lowest one's clock is "
                f"{self.wheel_ms} ms: its tick began at {self.wheel_ms - self.wheel_ms % due} ms",
            )
        return None

    def _bucket_new(self, event: Step, thread: Any) -> Refusal | None:
        bucket = event["list"]
        self._look("TypeOK")
        if bucket in self.keys or self.rings.get(bucket):
            return Refusal(
                "TypeOK", f"list {bucket} is made, and was there before: an id is used once"
            )
        return None

    def _overflow_create(self, event: Step, thread: Any) -> Refusal | None:
        """A level is published once, by who has made it."""
        self._look("OneOverflowWheel")
        if again := self.published & self._names_of(event):
            return Refusal(
                "OneOverflowWheel",
                f"{self._spoken(next(iter(again)))} is published a second time: threads were "
                "given two of them",
            )
        if thread.made is False and self.recorded("wheel_new"):
            return Refusal(
                "SafePublication",
                f"thread {event['tid']} publishes a level that it has not made to the end",
            )
        return None

    def _names_of(self, event: Step) -> set[tuple[int, int] | str]:
        """By what a level that is published is known: its timer and number, and the word that
        names it from below."""
        return {
            token[1] for token in event.get("ord", ()) if token[0] == "V" and token[3] == "w"
        } | ({(event.get("timer", NONE), event["level"])} if "level" in event else set())

    @staticmethod
    def _spoken(name: tuple[int, int] | str) -> str:
        return f"level {name[1]}" if isinstance(name, tuple) else f"the level that {name} names"

    def _publish(self, event: Step) -> None:
        self.published |= self._names_of(event)

    # -- where an entry goes

    def _over(self, event: Step) -> Refusal | None:
        """The slot's turn is still to come, also when the entry is linked: the clock has not moved
        on since the wheel chose it."""
        if (
            not {"level", "bucket", "exp_ms"} <= event.keys()
            or self.wheel_ms is None
            or not self.tick_ms
            or not self.wheel_size
        ):
            return None
        self._look("NotCurrentSlot")
        tick = self.tick_ms * self.wheel_size ** (event["level"] - 1)
        if event["exp_ms"] // tick <= self.wheel_ms // tick:
            return Refusal(
                "NotCurrentSlot",
                f"an entry due at {event['exp_ms']} ms is linked into slot {event['bucket']} of "
                f"level {event['level']} when the clock is {self.wheel_ms} ms: "
                "that slot's turn has come",
            )
        return None
