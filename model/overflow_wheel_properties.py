"""The properties and witnesses of the model of ``spec/OverflowWheel.tla``."""

from __future__ import annotations

from model.pluscal import DONE, Function, Machine, Scalar

WHEEL, LIST, POINTER, TIME = "overflow_wheel", "list", "timer_task_entry", "current_time"
START = "start"
"""The time that the constructor of a wheel stores."""


class Properties(Machine):
    """States of the model, by the variables that the properties read."""

    users: tuple[str, ...]
    buffer: Scalar
    overflow_wheel: Scalar
    list: Scalar
    found_wheel: Function[str | None]
    found_time: Function[str | None]
    late: Scalar
    revoked: Scalar
    slipped: Scalar
    unlinked: Scalar

    # -- properties, by the names of the spec

    def SafePublication(self) -> bool:
        return all(
            self.found_wheel[name] is None or self.found_time[name] == START for name in self.users
        )

    def OneOverflowWheel(self) -> bool:
        return len({self.found_wheel[name] for name in self.users} - {None}) <= 1

    def CancelUnlinks(self) -> bool:
        stored = [value for _, field, _, value, _ in self.buffer if field == LIST]
        return not self.unlinked or (stored[-1] if stored else self.list) is None

    def CancelWins(self) -> bool:
        return not self.slipped

    def Termination(self) -> bool:
        """The state predicate that must come true: ``<>AllDone``."""
        return all(t.pc == DONE for t in self.processes)

    # -- witnesses: states that some scenario must reach, or the properties say little

    def HalfBuilt(self) -> bool:
        """A wheel's time is not in memory yet, and another thread is about to read the wheel."""
        return any(
            t.pc == "O1" and any(s[1] == TIME and s[0] != name for s in self.buffer)
            for name, t in zip(self.threads, self.processes)
        )

    def ComesTooLate(self) -> bool:
        """A thread has the monitor and finds that the wheel has been made."""
        return any(t.pc == "O3" and self.overflow_wheel is not None for t in self.processes)

    def CancelledWhenLinked(self) -> bool:
        """A cancel is about to look for the list of an entry that is linked."""
        return any(
            t.pc == "R1" and name in self.late for name, t in zip(self.threads, self.processes)
        )

    def CheckedAfterCancel(self) -> bool:
        """A check comes after cancel has returned."""
        return self.revoked and any(t.pc == "K1" for t in self.processes)

    INVARIANTS = ("SafePublication", "OneOverflowWheel", "CancelUnlinks", "CancelWins")
    WITNESSES = ("HalfBuilt", "ComesTooLate", "CancelledWhenLinked", "CheckedAfterCancel")
