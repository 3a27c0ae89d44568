"""The kinds of event of Kafka's timer and purgatory, and their columns, beside the tool's own.

``docs/trace-format.md`` says the same for writers of traces in another language.
"""

from __future__ import annotations

from wheelproof.trace.format.fields import NONE, Field

__all__ = ["NONE"]

NOT_QUEUED = -1
"""As ``key_ms``: the bucket is in no queue."""

IDS = frozenset(("timer", "purgatory", "task", "entry", "list", "op", "key"))
"""Columns whose values are ids; the header's names say which of the program's names each is."""

OBJECTS = ("task", "entry", "list", "op")
"""Those of them that name an object: the subject of a violation."""

OBSERVED_IDS = frozenset(("list", "entry"))
"""The same in ``pre`` and ``post``."""

KINDS = {
    # timer: entries and lists
    "entry_new": "an entry was made for a task; exp_ms is its deadline",
    "set_entry": "the task's live entry became this one; pre.entry is the one before it",
    "add_begin": "the timer's add of a task was called",
    "add_end": "that add returned",
    "add_request": "a task was handed to the timer; now_ms is the clock that was read, delay_ms "
    "its delay",
    "list_add": "the entry was linked into the list; post.list, post.counter",
    "list_remove": "the entry was unlinked from the list; cause, pre.list, post.counter",
    "list_add_retry": "the entry was in a list by then: the adder tries again",
    "owner_read": "the word that says which list has the entry was read; pre.list is what was seen",
    "cancel_check": "the word that says which entry is the task's was read; res is true for a "
    "cancelled entry",
    "cancel": "the task's live entry became none; pre.entry is the one before it, pre.list the "
    "list that it named when it was read last",
    "reinsert": "a flush handed the entry back to the wheel",
    "expire_submit": "the entry's task was handed to the executor; cause shutdown: because the "
    "timer was emptied, due or not; res raised: the executor refused it",
    "task_run": "the task ran; entry is the one that was handed over",
    "task_done": "the run of the task ended; res is raised where it raised",
    # timer: wheel, clock, queue
    "wheel_new": "a level was made; level, wheel_ms, and pre.key_ms is its tick",
    "overflow_create": "a level above was published; level is its number",
    "wheel_place": "the wheel chose a bucket; level, bucket, vid, exp_ms, wheel_ms",
    "wheel_reject": "the wheel did not take the entry: cancelled or due; cause",
    "bucket_new": "a bucket was made; list is its id; level, bucket",
    "bucket_expiry_set": "a bucket's key became key_ms; pre.key_ms is the key before; res is "
    "whether it changed",
    "dq_offer": "a bucket was put into the delay queue; key_ms",
    "dq_poll": "a bucket was taken from the delay queue; key_ms; list absent: none was due",
    "dq_ready": "a bucket's key was reached; key_ms",
    "clock_advance": "the wheel's clock became wheel_ms",
    "flush_begin": "the flush of a list began, its monitor held",
    "flush_end": "the flush of a list ended, before its monitor was let go",
    # operations
    "op_new": "a delayed operation was made; delay_ms",
    "watch_add": "the operation was put into the watchers of a key",
    "watch_cancel": "the operation was taken out of the watchers of a key; it may be so twice",
    "try_begin": "an attempt; res is whether it comes to tryComplete: it does not where the lock "
    "was not got, or the operation was found completed",
    "try_end": "tryComplete was evaluated; res is its value",
    "try_watch_begin": "tryCompleteElseWatch began",
    "try_watch_end": "tryCompleteElseWatch ended; res",
    "check_begin": "checkAndComplete began and took the watchers; key, and in ord the lock that "
    "watch_add holds too",
    "check_end": "checkAndComplete ended; key",
    "cancel_key_begin": "cancelForKey began; key",
    "cancel_key_end": "cancelForKey ended; key",
    "pending_set": "the note that an attempt is due was cleared or set; post.pending",
    "pending_getset": "the note that an attempt is due was exchanged; pre.pending, post.pending",
    "force_cas": "completed was set, if no thread had; res is whether this thread did; cause",
    "on_complete_begin": "onComplete began",
    "on_complete_end": "onComplete ended",
    "on_expire": "onExpiration ran",
    "watchers_new": "a key got a list of watchers; list is its id",
    "watchers_remove": "a key's list of watchers was given up, because it was found empty",
    "purge": "completed operations were taken out of the watchers",
    "fault": "the recorder delayed its thread on purpose; delay_ms",
}
"""Kind of event -> its meaning."""

CAUSES = ("expiry", "cancel", "readd", "flush", "event", "forced", "due", "shutdown")
"""Why: of list_remove cancel, readd (the task or the entry is added anew), flush; of force_cas
expiry, event, forced; of wheel_reject cancel, due; of expire_submit shutdown, where a timer is
emptied and no thread checks whether the entry is cancelled or due."""

OBSERVED = (
    Field("list", "int64", "the list that the entry names; 0: none"),
    Field("entry", "int64", "the entry that the task names; 0: none"),
    Field("counter", "int64", "the timer's count of linked entries"),
    Field("key_ms", "int64", "the bucket's key; -1: not queued", unit="ms"),
    Field("completed", "bool", "the operation is completed"),
    Field("pending", "bool", "an attempt on the operation is due"),
)
"""The values that were read inside the critical section: before the step (``pre``) and after it
(``post``)."""

COLUMNS = (
    Field("timer", "int64", "the timer, where a run has several; with level it says which wheel"),
    Field("purgatory", "int64", "the purgatory whose keys and watchers these are"),
    Field("task", "int64", "the task; an operation that is its own timer task has one id as both"),
    Field("entry", "int64", "the entry"),
    Field("list", "int64", "the list, or the bucket"),
    Field("op", "int64", "the delayed operation"),
    Field("key", "int64", "the key that is watched"),
    Field("level", "int32", "level of the wheel, from 1; absent: 1"),
    Field("bucket", "int32", "slot in its level, from 0"),
    Field("vid", "int64", "exp_ms // tick of the level; bucket is vid % wheel_size"),
    Field("exp_ms", "int64", "the entry's deadline", unit="ms"),
    Field("delay_ms", "int64", "the delay that was requested", unit="ms"),
    Field("now_ms", "int64", "the clock that was read in this step", unit="ms"),
    Field("wheel_ms", "int64", "the clock of the level, or of the lowest one", unit="ms"),
    Field("key_ms", "int64", "the bucket's key after the step; -1: not queued", unit="ms"),
)
"""After the columns that say whose event it is."""

SEQUENCES = (
    Field("eseq", "int64", "seq of the exact L token of the entry's monitor, for window scans"),
    Field("lseq", "int64", "seq of the exact L token of the list's monitor"),
    Field("oseq", "int64", "seq of the exact L token of the operation's lock"),
)
"""After the order tokens: numbers of them by themselves, for window scans."""

NUMBERED = {"eseq": "entry", "lseq": "list", "oseq": "op"}
"""Which object's monitor each of them numbers."""

EXACT = {
    "list_add": ("list", "entry"),
    "list_remove": ("list", "entry"),
    "cancel": ("task",),
    "set_entry": ("task",),
    "flush_begin": ("list",),
    "flush_end": ("list",),
    "force_cas": ("op",),
    "pending_set": ("op",),
    "pending_getset": ("op",),
}
"""Kind -> columns of objects, one of whose monitors or words must be an exact token: without it the
order of the event is not known."""

REQUIRED = {
    **dict.fromkeys(("list_add", "list_remove"), ("entry", "list")),
    **dict.fromkeys(
        (
            "list_add_retry",
            "owner_read",
            "reinsert",
            "expire_submit",
            "wheel_place",
            "wheel_reject",
        ),
        ("entry",),
    ),
    **dict.fromkeys(("set_entry", "entry_new"), ("task", "entry")),
    "cancel_check": ("task", "entry", "res"),
    **dict.fromkeys(("cancel", "add_request"), ("task",)),
    **dict.fromkeys(("add_begin", "add_end"), ("task", "span")),
    "task_done": ("entry",),
    "fault": ("delay_ms",),
    **dict.fromkeys(("flush_begin", "flush_end"), ("list", "span")),
    **dict.fromkeys(("bucket_new", "bucket_expiry_set", "dq_offer"), ("list",)),
    **dict.fromkeys(("bucket_expiry_set", "dq_offer"), ("list", "key_ms")),
    "clock_advance": ("wheel_ms",),
    **dict.fromkeys(
        (
            "op_new",
            "try_end",
            "pending_set",
            "pending_getset",
            "on_complete_begin",
            "on_complete_end",
            "on_expire",
        ),
        ("op",),
    ),
    **dict.fromkeys(("try_begin", "force_cas"), ("op", "res")),
    "try_watch_begin": ("op",),
    "try_watch_end": ("op", "res"),
    **dict.fromkeys(("watch_add", "watch_cancel"), ("op", "key")),
    **dict.fromkeys(("watchers_new", "watchers_remove"), ("key", "list")),
}
"""Kind -> columns without which an event of it says nothing."""

CONFIG = (
    "tick_ms (of the lowest level, from 1 on), wheel_size (buckets in a level), start_ms, levels: "
    "integers, the same for all timers of the run"
)
"""The fields of a header's ``config``."""

MEASURES = ("tick_ms", "wheel_size", "start_ms", "late")
"""The numbers of a header that rules read; ``late``: 1 where an unlink may have its number after
another thread has seen it."""

INITIAL = (
    "what was there before the first event: lists (id -> entries, head first), tasks (id -> entry "
    "or 0), counters (id as in ord, such as counter:1 -> value), keys (id of a bucket -> key_ms), "
    "operations (id -> pending: whether an attempt on it is due). Other fields are passed over"
)
"""The text on a header's ``initial``."""
