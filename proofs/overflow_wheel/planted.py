"""Faults planted in module OverflowWheel, and the steps that they break in small runs."""

from __future__ import annotations

from proofs.overflow_wheel.published import Published
from proofs.overflow_wheel.runs import SMALL, scenario
from proofs.overflow_wheel.unlinked import Unlinked
from wheelproof.prove.invariant.planted import Fault

TWO, CANCELLED, LINKED = SMALL
LATE_WHEEL = scenario("w1 w2", a="place a", b="place b", memory="a overflow_wheel")
VOLATILE = 'Volatile == {"overflow_wheel", "list", "timer_task_entry"}'
FOUND = 'Seen(buffer\', self, "overflow_wheel", "w0", overflowWheel\') = NULL\n' + " " * 18
GOES, SAME = "pc' = [pc EXCEPT ![self] = ", f"\n{' ' * 12}/\\ UNCHANGED << "
DUE = "Due(stores, s, t)    == SelectSeq(stores, LAMBDA x : x[1] # t /\\ s \\in x[5])"
LATER = "Later(stores, s, t)  == SelectSeq(stores, LAMBDA x : x[1] = t \\/ s \\notin x[5])"


def volatile(*fields: str) -> tuple[tuple[str, str], ...]:
    """The module with these volatile fields."""
    names = ", ".join(f'"{field}"' for field in fields)
    return ((VOLATILE, f"Volatile == {{{names}}}"),)


FAULTS = (
    Fault(
        "plain_wheel",
        "the field with the wheel is not volatile",
        Published,
        volatile("list", "timer_task_entry"),
        LATE_WHEEL,
        "O4_to_O5: wheel_is_never_buffered",
        "SafePublication",
    ),
    Fault(
        "silent_store",
        "a volatile store of the wheel brings nothing with it that was stored before",
        Published,
        (('buffer\' = Marked(buffer, "overflow_wheel", self)', "buffer' = buffer"),),
        TWO,
        "O4_to_O5: published_with_its_time",
        "SafePublication",
    ),
    Fault(
        "late_constructor",
        "the wheel is stored before its constructor has stored its time",
        Published,
        (
            (f'{GOES}"O4"]{SAME}overflowWheel, list', f'{GOES}"O5"]{SAME}overflowWheel, list'),
            (f'{GOES}"O5"]{SAME}currentTime, list', f'{GOES}"B2"]{SAME}currentTime, list'),
            (f'{GOES}"B2"]{SAME}buffer', f'{GOES}"O4"]{SAME}buffer'),
        ),
        TWO,
        "B1_to_O4: constructor_has_stored",
        "SafePublication",
    ),
    Fault(
        "no_monitor",
        "who makes a wheel takes the monitor although another thread has it",
        Published,
        (('/\\ monitor["wheel"].owner \\in {NULL, self}', "/\\ TRUE"),),
        TWO,
        "O2_to_O3: one_holder",
        "OneOverflowWheel",
    ),
    Fault(
        "no_second_check",
        "no thread looks again under the monitor whether there is a wheel",
        Published,
        (
            (
                f'IF {FOUND}THEN /\\ pc\' = [pc EXCEPT ![self] = "B1"]',
                f'IF TRUE\n{" " * 18}THEN /\\ pc\' = [pc EXCEPT ![self] = "B1"]',
            ),
        ),
        TWO,
        "O3_to_B1: makes_the_first_wheel",
        "OneOverflowWheel",
    ),
    Fault(
        "silent_unlock",
        "who leaves the lowest wheel's monitor releases nothing with it",
        Published,
        (('buffer\' = Marked(buffer, "wheel", self)', "buffer' = buffer"),),
        TWO,
        "O5_to_O6: released_with_the_monitor",
        "seen_under_the_monitor",
    ),
    Fault(
        "deaf_acquire",
        "who acquires brings into memory nothing that others have released",
        Published,
        (
            (DUE, "Due(stores, s, t)    == SelectSeq(stores, LAMBDA x : FALSE)"),
            (LATER, "Later(stores, s, t)  == SelectSeq(stores, LAMBDA x : TRUE)"),
        ),
        TWO,
        "O6_to_back: seen_by_who_has_the_wheel",
        "SafePublication",
    ),
    Fault(
        "loses_stores",
        "who acquires takes out of the buffer what others have released, and forgets it",
        Published,
        ((DUE, "Due(stores, s, t)    == SelectSeq(stores, LAMBDA x : FALSE)"),),
        TWO,
        "O1_to_O6: published_with_its_time",
        "SafePublication",
    ),
    Fault(
        "plain_pointer",
        "a task's pointer to its entry is not volatile",
        Published,
        volatile("overflow_wheel", "list"),
        CANCELLED,
        "C3_to_C4: pointer_is_never_buffered",
        "CancelWins",
    ),
    Fault(
        "plain_list",
        "an entry's list is not volatile",
        Published,
        volatile("overflow_wheel", "timer_task_entry"),
        CANCELLED,
        "A6_to_A7: list_is_never_buffered",
        "CancelUnlinks",
    ),
    Fault(
        "keeps_pointer",
        "cancel leaves the task its pointer",
        Published,
        (("timerTaskEntry' = NULL", "timerTaskEntry' = timerTaskEntry"),),
        CANCELLED,
        "C3_to_C4: cancelled_pointer",
        "CancelWins",
    ),
    Fault(
        "cancels_without_removal",
        "a cancel that finds the pointer goes on without a removal",
        Unlinked,
        (
            (
                'IF Seen(buffer\', self, "timer_task_entry", "x", timerTaskEntry\') # NULL',
                "IF FALSE",
            ),
        ),
        LINKED,
        "C2_to_C3: late_cancel_has_unlinked",
        "CancelUnlinks",
    ),
    Fault(
        "looks_once",
        "remove returns from an entry that is linked",
        Unlinked,
        (('IF Seen(buffer\', self, "list", "e", list\') # NULL', "IF FALSE"),),
        LINKED,
        "R1_to_back: late_cancel_has_unlinked",
        "CancelUnlinks",
    ),
)
"""Faults that a theorem refuses."""
