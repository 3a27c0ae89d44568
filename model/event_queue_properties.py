"""The properties and witnesses of ``model/event_queue.py``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from model.pluscal import DONE, Function, Machine, Process, Programs, Scalar


class Properties(Machine):
    """What must hold in each state, and what some scenario must reach."""

    WITNESSES = (
        "PutWaitsForClear",
        "TakenBeforeDrain",
        "SpentByAnother",
        "RefusedAtClose",
        "ClosesUnseen",
        "ExpiryPreempted",
        "AsksInOldSession",
    )

    program: Programs
    does: Mapping[str, tuple[str, ...]]
    users: tuple[str, ...]
    waiting: tuple[str, ...]
    clear: str
    queue: Scalar
    spent: Function[bool]
    running: Scalar
    ended: Scalar
    log: Scalar
    requests: Scalar
    entered: Scalar

    def _at(self, *labels: str) -> Iterator[tuple[str, Process]]:
        """The threads at these labels."""
        for name, process in zip(self.threads, self.processes):
            if process.pc in labels:
                yield name, process

    def _named(self, *operations: str) -> set[str]:
        """The events of these operations in all programs."""
        return {
            step[1] for name in self.users for step in self.program[name] if step[0] in operations
        }

    def _given(self) -> set[str]:
        """The events that wait in the beginning, and those of all programs."""
        return self._named("put", "expire") | {*self.waiting}

    def _processed(self) -> list[str]:
        return [event for how, event in self.log if how == "processed"]

    def _all_done(self) -> bool:
        return all(process.pc == DONE for process in self.processes)

    def _handled(self) -> set[str]:
        return {event for _, event in self.log}

    # -- properties

    def EventHandledOnce(self) -> bool:
        return len(self._handled()) == len(self.log)

    def EveryEventHandled(self) -> bool:
        if not self._all_done():
            return True
        put_on = {self.does[event][1] for event in self._processed() if len(self.does[event]) == 2}
        return self._given() | put_on <= self._handled()

    def ExpireFirst(self) -> bool:
        first = self._named("expire") | {None}
        return not any(event in first for event in self.queue[1:])

    def InOneHand(self) -> bool:
        return self.clear != "drain" or not (
            any(self.spent[process.taken] for _, process in self._at("X1"))
            or any(self.spent[process.old] for _, process in self._at("Z1"))
        )

    def QueueOrder(self) -> bool:
        places = [self.entered.index(event) for event in self._processed()]
        return places == sorted(places)

    def NoZombieRequest(self) -> bool:
        expiries = [self.entered.index(x) for x in self._named("expire") if x in self.entered]
        for event, session in self.requests:
            own = self.entered.index(event)
            before = sum(place < own for place in expiries)
            if any(place > own for place in expiries) and session > 1 + before:
                return False
        return True

    def CloseWaits(self) -> bool:
        has_closed = any(
            step[0] == "close" and (place < process.turn - 1 or process.pc in ("T0", DONE))
            for name, process in zip(self.threads, self.processes)
            if name in self.users
            for place, step in enumerate(self.program[name][: process.turn - 1], 1)
        )
        return self.ended or not has_closed

    def EachIsHandled(self) -> bool:
        """What must come true in every fair run."""
        return self._given() <= self._handled()

    def EachReturns(self) -> bool:
        """What must come true in every fair run, too."""
        return self._all_done()

    # -- witnesses

    def PutWaitsForClear(self) -> bool:
        """A thread is about to put while another one clears the queue."""
        return any(self._at("P1")) and any(self._at("D2"))

    def TakenBeforeDrain(self) -> bool:
        """The event thread has taken an event, and has not begun with it when the rest goes."""
        return any(self._at("X1")) and any(self._at("D3"))

    def SpentByAnother(self) -> bool:
        """The event thread has taken an event that is preempted by then."""
        return any(self.spent[process.taken] for _, process in self._at("X1"))

    def RefusedAtClose(self) -> bool:
        """An event comes after a close has begun."""
        return any(not self.running for _ in self._at("P2"))

    def ClosesUnseen(self) -> bool:
        """The event thread has ended without the event of the close."""
        return self.ended and any(self._at("D1"))

    def ExpiryPreempted(self) -> bool:
        """The event of an expiry was preempted, and its thread learns of that."""
        return any(("preempted", process.expiry) in self.log for _, process in self._at("W3"))

    def AsksInOldSession(self) -> bool:
        """A handler makes a request while the session's thread waits for its event."""
        return any(self._at("H2")) and any(self._at("W2"))
