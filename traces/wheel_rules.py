"""The rules of the wheel, its clock, its delay queue and its levels."""

from __future__ import annotations

from traces.events import Refusal, Step, seen_by
from traces.facts import Facts, Judges
from traces.schema import NONE, NOT_QUEUED
from traces.thread_state import ThreadState


def _bucket_expiry_set(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    bucket, seen = event["list"], event.get("pre", {}).get("key_ms")
    facts.look("QueuedOnceWithItsKey")
    if (
        event["key_ms"] != NOT_QUEUED
        and thread.linked not in (None, bucket)
        and facts.recorded("list_add")
    ):
        return Refusal(
            "QueuedOnceWithItsKey",
            f"list {bucket} is given the key {event['key_ms']} by a thread that has not "
            "linked an entry into it before: a flush that "
            "comes in between finds nothing, and what is linked then is in no queue",
        )
    if seen is not None and facts.keys.get(bucket, seen) != seen:
        return Refusal(
            "QueuedOnceWithItsKey",
            f"list {bucket} had the key {facts.keys[bucket]}, and {seen} is found",
        )
    if event["key_ms"] == NOT_QUEUED and (left := facts.rings.get(bucket)):
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


def _dq_offer(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    bucket, key = event["list"], event["key_ms"]
    facts.look("QueuedOnceWithItsKey")
    if bucket in facts.queued:
        return Refusal(
            "QueuedOnceWithItsKey",
            f"list {bucket} is put into the queue with the key {key}, and is in it with "
            f"{facts.queued[bucket]}",
        )
    return None


def _dq_poll(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    bucket, key = event.get("list"), event.get("key_ms")
    if bucket is None:
        return None
    facts.look("QueuedOnceWithItsKey")
    if bucket not in facts.queued:
        return (
            Refusal(
                "QueuedOnceWithItsKey", f"list {bucket} is taken from the queue, and is not in it"
            )
            if facts.recorded("dq_offer")
            else None
        )
    if key is not None and key != facts.queued[bucket]:
        return Refusal(
            "QueuedOnceWithItsKey",
            f"list {bucket} is taken from the queue with the key {key}, and was put there "
            f"with {facts.queued[bucket]}",
        )
    return None


def _clock_advance(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    if event.get("level", 1) != 1 or facts.wheel_ms is None:
        return None
    facts.look("NotEarly")
    if event["wheel_ms"] <= facts.wheel_ms:
        return Refusal(
            "NotEarly", f"the wheel's clock goes from {facts.wheel_ms} to {event['wheel_ms']} ms"
        )
    return None


def left_keyed(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    """A thread that has flushed a bucket has reset its key before another links into it."""
    bucket = event.get("list")
    if (
        bucket is None
        or bucket != thread.flushed
        or not facts.recorded("bucket_expiry_set")
        or bucket not in facts.keys
    ):
        return None
    facts.look("QueuedOnceWithItsKey")
    if facts.keys[bucket] != NOT_QUEUED:
        return Refusal(
            "QueuedOnceWithItsKey",
            f"list {bucket} is let go after its flush with the key {facts.keys[bucket]}: who "
            "links into it next finds no other key, and queues nothing",
        )
    return None


# -- levels


def _wheel_new(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    """A level's tick is the turn of the one below, and its clock is where that of the lowest
    is, rounded down."""
    level, clock, tick = (
        event.get("level"),
        event.get("wheel_ms"),
        event.get("pre", {}).get("key_ms"),
    )
    if level is None or not facts.tick_ms or not facts.wheel_size:
        return None
    due = facts.tick_ms * facts.wheel_size ** (level - 1)
    facts.look("LevelBound")
    if tick is not None and tick != due:
        return Refusal(
            "LevelBound",
            f"level {level} is made with ticks of {tick} ms, and the levels below take {due} "
            "ms to a turn",
        )
    if (
        clock is not None
        and facts.wheel_ms is not None
        and clock != facts.wheel_ms - facts.wheel_ms % due
    ):
        return Refusal(
            "LevelBound",
            f"level {level} begins at {clock} ms while the lowest one's clock is "
            f"{facts.wheel_ms} ms: its tick began at {facts.wheel_ms - facts.wheel_ms % due} ms",
        )
    return None


def _bucket_new(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    bucket = event["list"]
    facts.look("TypeOK")
    if bucket in facts.keys or facts.rings.get(bucket):
        return Refusal("TypeOK", f"list {bucket} is made, and was there before: an id is used once")
    return None


def _overflow_create(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    """A level is published once, by who has made it."""
    facts.look("OneOverflowWheel")
    if again := facts.published & _names_of(event):
        return Refusal(
            "OneOverflowWheel",
            f"{_spoken(again)} is published a second time: threads were given two of them",
        )
    if thread.made is False and facts.recorded("wheel_new"):
        return Refusal(
            "SafePublication",
            f"thread {event['tid']} publishes a level that it has not made to the end",
        )
    return None


def _names_of(event: Step) -> set[tuple[int, int] | str]:
    """By what a level that is published is known: its timer and number, and the word that
    names it from below."""
    return {token[1] for token in event.get("ord", ()) if token[0] == "V" and token[3] == "w"} | (
        {(event.get("timer", NONE), event["level"])} if "level" in event else set()
    )


def _spoken(names: set[tuple[int, int] | str]) -> str:
    """A level by its number, or else by the word that names it."""
    numbers = [name[1] for name in names if isinstance(name, tuple)]
    words = [name for name in names if isinstance(name, str)]
    return f"level {numbers[0]}" if numbers else f"the level that {min(words)} names"


# -- where an entry goes


def over(facts: Facts, event: Step) -> Refusal | None:
    """The slot's turn is still to come, also when the entry is linked: the clock has not moved
    on since the wheel chose it."""
    if (
        not {"level", "bucket", "exp_ms"} <= event.keys()
        or facts.wheel_ms is None
        or not facts.tick_ms
        or not facts.wheel_size
    ):
        return None
    facts.look("NotCurrentSlot")
    tick = facts.tick_ms * facts.wheel_size ** (event["level"] - 1)
    if event["exp_ms"] // tick <= facts.wheel_ms // tick:
        return Refusal(
            "NotCurrentSlot",
            f"an entry due at {event['exp_ms']} ms is linked into slot {event['bucket']} of "
            f"level {event['level']} when the clock is {facts.wheel_ms} ms: "
            "that slot's turn has come",
        )
    return None


JUDGES: Judges = {
    "bucket_expiry_set": _bucket_expiry_set,
    "dq_offer": _dq_offer,
    "dq_poll": _dq_poll,
    "clock_advance": _clock_advance,
    "wheel_new": _wheel_new,
    "bucket_new": _bucket_new,
    "overflow_create": _overflow_create,
}


# -- what each kind does


def take(facts: Facts, event: Step, thread: ThreadState) -> None:
    kind = event["k"]
    if kind == "bucket_expiry_set":
        facts.keys[event["list"]] = event["key_ms"]
        if event["key_ms"] == NOT_QUEUED:
            thread.reset, thread.flushed = event["list"], NONE
        elif thread.linked is not None:
            thread.linked = NONE
    elif kind == "bucket_new":
        facts.keys[event["list"]] = NOT_QUEUED
    elif kind == "wheel_new":
        thread.made = True
        if event.get("level") == 1 and "wheel_ms" in event:
            facts.wheel_ms = event["wheel_ms"]
    elif kind == "overflow_create":
        facts.published |= _names_of(event)
        thread.made = False
    elif kind == "lock_release" and event.get("list") == thread.flushed:
        thread.flushed = NONE
    elif kind == "thread_start":
        thread.linked, thread.made = NONE, False
    elif kind == "dq_offer":
        facts.queued[event["list"]] = event["key_ms"]
    elif kind == "dq_poll":
        facts.queued.pop(event.get("list", NONE), None)
    elif kind == "clock_advance" and event.get("level", 1) == 1:
        facts.wheel_ms = event["wheel_ms"]
    elif kind == "checkpoint":
        if "list" in event and "key_ms" in (seen := seen_by(event)):
            facts.keys[event["list"]] = seen["key_ms"]
        if "wheel_ms" in event and event.get("level", 1) == 1:
            facts.wheel_ms = event["wheel_ms"]
