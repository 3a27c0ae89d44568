"""The executable model of ``spec/DelayQueue.tla``: one method per label."""

from __future__ import annotations

from model.conditions import notified, offered, taken
from model.delay_queue_properties import NEVER, Properties
from model.pluscal import BLOCKED, DONE, Process, Scalar, Scenario, State, Step, Steps, Values

OWN = {
    "turn": 1,
    "deadline": 0,
    "wait": 0,
    "left": 0,
    "found": False,
    "head": NEVER,
    "raised": False,
    "got": (),
}
"""The variables of a thread, with their first values."""

FIRST = {"clock": "C1", "interrupt": "I1"}
"""First label of a process that is no thread, by the operation that is its program."""


def put(heap: tuple[int, ...], at: int) -> tuple[int, ...]:
    """A binary heap with one more element, which rises to its place."""
    out = [*heap, at]
    index = len(out) - 1
    while index > 0 and out[index] < out[above := (index - 1) // 2]:
        out[index], out[above] = out[above], out[index]
        index = above
    return tuple(out)


def rest(heap: tuple[int, ...]) -> tuple[int, ...]:
    """A binary heap without its first element, in whose place the last one sinks."""
    if len(heap) <= 1:
        return ()
    out = [heap[-1], *heap[1:-1]]
    index = 0
    while (below := 2 * index + 1) < len(out):
        if below + 1 < len(out) and out[below] > out[below + 1]:
            below += 1
        if out[index] <= out[below]:
            break
        out[index], out[below] = out[below], out[index]
        index = below
    return tuple(out)


class Model(Properties):
    """States of one scenario: ``threads`` and ``items`` as in the TOML.

    A process whose program is ``clock`` lets time pass; one whose program is ``interrupt`` lets the
    present wait of a thread raise.
    """

    AUXILIARY = frozenset({"leading", "queued"})

    mutex, asleep, tickets = Scalar("mutex"), Scalar("asleep"), Scalar("tickets")
    interrupted, now, leader = Scalar("interrupted"), Scalar("now"), Scalar("leader")
    items, queued, leading = Scalar("items"), Scalar("queued"), Scalar("leading")

    def __init__(self, scenario: Scenario) -> None:
        self.program = scenario["threads"]
        super().__init__(self.program, OWN, start="T0")
        first = {name: program[0][0] for name, program in self.program.items()}
        self.users = tuple(name for name in first if first[name] not in FIRST)
        self.clocks = tuple(name for name in first if first[name] == "clock")
        self._processes = tuple(
            (FIRST.get(first[name], "T0"), *values[1:])
            for name, values in zip(self.threads, self._processes)
        )
        self._counters: tuple[str, ...] = ()
        self.scalar("mutex", None)
        self.scalar("asleep", frozenset())
        self.scalar("tickets", ())
        self.scalar("interrupted", frozenset())
        self.scalar("now", 0)
        self.alarm = self.function("alarm", dict.fromkeys(self.users, NEVER))
        self.scalar("leader", None)
        self.scalar("items", tuple(scenario["items"]))
        self.scalar("queued", len(scenario["items"]))
        self.scalar("leading", frozenset())
        self.begin()

    def tla(self, variable: str, piece: Values) -> object:
        """As TLA+ has it: only the threads have variables of their own."""
        if variable in OWN:
            return self.function_of(self.users, piece)
        return super().tla(variable, piece)

    def successors(self, state: State) -> Steps:
        """The clock looks at the program counters, in the state before the step."""
        self._counters = tuple(values[0] for values in state[1])
        try:
            return super().successors(state)
        finally:
            self._counters = ()

    def returned(self, process: Process) -> object:
        """What a poll has taken, or None; that it was interrupted."""
        if process.raised:
            return ("raised", "Interrupted")
        return process.got[0] if process.got else None

    # -- the condition

    def _lock(self) -> bool:
        if self.mutex is not None:
            return False
        self.mutex = self.me
        return True

    def _sleep(self, until: int) -> None:
        self.mutex = None
        self.asleep |= {self.me}
        self.alarm[self.me] = until

    def _late(self, name: str) -> bool:
        return bool(self.alarm[name] <= self.now)

    def _wake(self) -> bool:
        called = offered(self.tickets, self.me) or self.me in self.interrupted
        if not called and not self._late(self.me):
            return False
        self.tickets = taken(self.tickets, self.me)
        self.asleep -= {self.me}
        self.alarm[self.me] = NEVER
        return True

    def _relock(self, t: Process) -> bool:
        """A wait has the lock again, and raises if the thread was interrupted."""
        if not self._lock():
            return False
        if self.me in self.interrupted:
            self.interrupted -= {self.me}
            t.raised = True
        return True

    # -- where a thread goes on

    def _operation(self, name: str, t: Process) -> Values:
        operation: Values = self.program[name][t.turn - 2]
        return operation

    def _release(self, t: Process) -> None:
        """Gate.release"""
        t.pc = "L1" if self.leader is None else "L2"

    def _leave(self, t: Process) -> None:
        """What poll and poll_now do after they have called _take."""
        if self._operation(self.me, t)[0] == "poll":
            self._release(t)
        else:
            t.pc = "G2"

    def _take(self, t: Process) -> None:
        """DelayQueue._take"""
        if self.items:
            t.head, t.pc = self.items[0], "K1"
        else:
            self._leave(t)

    def _wait_ms(self, t: Process) -> None:
        """DelayQueue.wait_ms: without a first element there is nothing to read the clock for."""
        if self.items:
            t.head, t.pc = self.items[0], "Q1"
        else:
            t.head, t.wait, t.pc = NEVER, NEVER, "A3"

    def _go_on(self, t: Process) -> None:
        """The loop of Gate.acquire_when goes on, unless the exception leaves it."""
        if t.raised:
            self._release(t)
        else:
            self._wait_ms(t)

    # -- the threads

    def T0(self, t: Process) -> None:
        vars(t).update(OWN | {"turn": t.turn})
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            if self._operation(self.me, t)[0] == "poll":
                t.pc = "A1"

    # -- offer and poll_now

    def G1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if self._operation(self.me, t)[0] == "poll_now":
            self._take(t)

    def P1(self, t: Process) -> None:
        before = self.items
        self.items = put(before, self._operation(self.me, t)[1])
        self.queued += 1
        if before and self.items[0] == before[0]:  # not the first
            t.pc = "G2"

    def N1(self, t: Process) -> None:
        self.leader = None
        self.leading = frozenset()

    def N2(self, t: Process) -> None:
        self.tickets = notified(self.tickets, self.asleep, 1)

    def G2(self, t: Process) -> None:
        self.mutex = None
        t.pc = "T0"

    # -- poll: Gate.acquire_when

    def A1(self, t: Process) -> None:
        t.deadline = self.now + self._operation(self.me, t)[1]

    def A2(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        self._wait_ms(t)

    def Q1(self, t: Process) -> None:
        t.wait = t.head - self.now
        if t.wait <= 0:
            self._take(t)

    def A3(self, t: Process) -> None:
        t.left = t.deadline - self.now
        if t.left <= 0:
            self._take(t)
        elif self.leader is not None or t.left < t.wait:
            t.pc = "A4"
        else:
            t.pc = "A7"

    def A4(self, t: Process) -> None:
        self._sleep(self.now + t.left)

    def A5(self, t: Process) -> Step:
        if not self._wake():
            return BLOCKED

    def A6(self, t: Process) -> Step:
        if not self._relock(t):
            return BLOCKED
        self._go_on(t)

    def A7(self, t: Process) -> None:
        self.leader = self.me
        self.leading |= {self.me}

    def A8(self, t: Process) -> None:
        self._sleep(self.now + t.wait)

    def A9(self, t: Process) -> Step:
        if not self._wake():
            return BLOCKED
        self.leading -= {self.me}

    def A10(self, t: Process) -> Step:
        if not self._relock(t):
            return BLOCKED
        if self.leader != self.me:
            self._go_on(t)

    def A11(self, t: Process) -> None:
        self.leader = None
        self._go_on(t)

    # -- poll and poll_now: _take

    def K1(self, t: Process) -> None:
        t.found = t.head <= self.now
        if not t.found:
            self._leave(t)

    def K2(self, t: Process) -> None:
        t.got = (self.items[0],)
        self.queued -= 1
        self.items = rest(self.items)
        self._leave(t)

    # -- poll: Gate.release

    def L1(self, t: Process) -> None:
        self.tickets = notified(self.tickets, self.asleep, 1)

    def L2(self, t: Process) -> None:
        self.mutex = None
        t.pc = "T0"

    # -- the other processes

    def I1(self, t: Process) -> None:
        target = self.program[self.me][0][1]
        if target in self.asleep:
            self.interrupted |= {target}
        t.pc = DONE

    def C1(self, t: Process) -> Step:
        alarms = [self.alarm[name] for name in self.users]
        ahead = [moment for moment in alarms if self.now < moment < NEVER]
        others = [
            counter
            for name, counter in zip(self.threads, self._counters, strict=True)
            if name not in self.clocks
        ]
        if ahead:
            self.now = min(ahead)
        elif all(counter == DONE for counter in others):
            t.pc = DONE
        else:
            return BLOCKED

    def C2(self, t: Process) -> None:
        t.pc = "C1"
