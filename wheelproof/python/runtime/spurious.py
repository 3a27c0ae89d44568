"""Spurious wake-ups, where a harness asks for them: ``SPURIOUS = ("Condition",)``.

Java's ``Object.wait`` and ``Condition.await``, and POSIX, permit that a wait ends without a
notification. Code that is to be right there waits in a loop. Python's condition has no such
wake-up, so a run has none unless the harness declares it. The declaration changes one thing: a
sleeping thread may wake in any state. The step has the same label, and the thread takes its lock
again as after any other wake-up.

Decisions:

* A thread that is offered a ticket takes it. To wake without the ticket would add no behaviour: the
  thread wakes spuriously before the notification, or another thread takes the ticket first. A
  thread that is offered none leaves all tickets for the others.
* A wake-up orders no accesses of the race detector. The lock, which the thread takes again, does.
* No value differs between a spurious wake-up and a notification. ``wait(timeout)`` returns True as
  long as the time is not up: Python documents True "unless a given timeout expired", and Java's
  ``await(time, unit)`` has the same rule. Where the time is up and no ticket was offered it returns
  False. Had the thread woken spuriously before, the value would be True, and that is another
  schedule.
* ``wait()`` is always true in Python, and has no value in Java. It returns :class:`Silent`: to test
  it is a finding.
* ``wait_for`` looks at its predicate after every wake-up, and needs no change.
* A thread that may wake is enabled. So a program that forgets a notification has no deadlock: its
  sleepers wake by themselves. ``NoDeadlock`` cannot find a lost notification here. Without the
  declaration it can.
* Fairness is weak. A sleeper that wakes again and again may take the lock each time before the
  others, so liveness fails for code that is right. It is to be shown without the declaration.
* ``Event``, ``Semaphore`` and ``Barrier`` have no spurious wake-ups: in Java, too, their waits end
  for a reason alone.
"""

from __future__ import annotations

from types import ModuleType

from wheelproof.python import parsed
from wheelproof.python.findings import ExploreError
from wheelproof.python.runtime.conditions import Condition, Either
from wheelproof.python.runtime.registry import primitive_names, spurious, with_spurious
from wheelproof.python.runtime.threads import Thread

TABLE = "SPURIOUS"


class Silent(Either):
    """The result of a ``wait()`` where wake-ups may be spurious. To test it is a finding."""

    __slots__ = ()
    message = (
        "the value of a wait without a time-out is tested; where a wake-up may be spurious it "
        "does not show whether there was a notification"
    )


@spurious("Condition")
class SpuriousCondition(Condition):
    """A condition whose sleepers may wake in any state; fields as those of a condition."""

    __slots__ = ()

    def without_limit(self) -> object:
        """A value that shows nothing."""
        return Silent(self.scheduler)

    def may_wake(self, thread: Thread) -> bool:
        """A sleeping thread needs no reason."""
        return thread in self.asleep


def declarations(text: str, file: str) -> tuple[str, ...]:
    """The primitives that the text of a harness names in its literal ``SPURIOUS``.

    Raises ExploreError for any other value, and for a primitive without spurious wake-ups.
    """
    names = parsed.literal(text, TABLE, (), file)
    values = with_spurious()
    remedy = f"Write {TABLE} = {values!r}, or leave it out."
    if not isinstance(names, (tuple, list)) or not all(isinstance(name, str) for name in names):
        raise ExploreError(f"{file}: {TABLE} is no literal list of primitives.", remedy)
    if wrong := [name for name in names if name not in values]:
        raise ExploreError(
            f"{file}: {TABLE} names {', '.join(wrong)}, "
            + (
                "which has no spurious wake-ups."
                if all(name in primitive_names() for name in wrong)
                else "which is no primitive of the runtime."
            ),
            remedy,
        )
    return tuple(names)


def confirm(harness: ModuleType, table: tuple[str, ...], file: str) -> None:
    """Raise ExploreError if the loaded harness has another ``SPURIOUS`` than its text showed."""
    if (value := getattr(harness, TABLE, ())) not in (table, list(table)):
        raise ExploreError(
            f"{file}: {TABLE} is {value!r} when the harness is loaded, and its text says "
            f"{table!r}.",
            f"Write {TABLE} once, as a literal at the top of the file: the primitives are chosen "
            "before the harness is loaded.",
        )
