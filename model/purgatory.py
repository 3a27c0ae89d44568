"""The model of ``spec/Purgatory.tla``: operations, watcher lists in shards, and a timer."""

from __future__ import annotations

from model.pluscal import BLOCKED, DONE, FREE, Procedure, Process, Scenario, Step
from model.purgatory_completion import Completion
from model.purgatory_properties import NOWHERE


class Model(Completion):
    """States of one scenario, with the fields of the TOML."""

    PROCEDURES = {
        "cancelTask": Procedure("Q1", ("xo",)),
        "onComplete": Procedure("D1", ("co",)),
        "forceUnlocked": Procedure("X1", ("uo",)),
        "forceComplete": Procedure("L1", ("lo",)),
        "tryComplete": Procedure("Y1", ("yo",)),
        "tryPending": Procedure("P1", ("po",), (("retry", False),)),
        "safeTryComplete": Procedure("B1", ("bo",)),
        "tryCompleteElseWatch": Procedure("A0", ("ao",), (("nth", 1), ("found", 0))),
        "removeKeyIfEmpty": Procedure("R1", ("rk", "rw"), (), (("rw", 0),)),
        "checkAndComplete": Procedure(
            "C1", ("ck",), (("mine", 0), ("ahead", NOWHERE), ("here", NOWHERE))
        ),
        "cancelForKey": Procedure(
            "F1", ("fk",), (("gone", 0), ("left", NOWHERE), ("held", NOWHERE))
        ),
        "purgeCompleted": Procedure(
            "H1", ("hk", "hw"), (("some", NOWHERE), ("one", NOWHERE)), (("hw", 0),)
        ),
        "purge": Procedure("G1", (), (("guess", 0), ("at", 1), ("swept", None))),
        "watched": Procedure("N0", (), (("no", 1), ("met", None), ("its", 0))),
    }
    LOCAL = frozenset({"won", "raised", "count", "taken"})
    """What a call returned or raised: in code it is on the thread's stack."""

    AUXILIARY = LOCAL | {"winner", "expiredBy", "places", "dropped", "revoked"}

    def __init__(self, scenario: Scenario) -> None:
        self.program, self.protocol = scenario["threads"], scenario["protocol"]
        self.need, self.keys_of = scenario["need"], scenario["keys_of"]
        self.adds, self.raises = scenario["adds"], scenario["raises"]
        self.locking, self.number = scenario["locking"], scenario["keys"]
        self.shards, self.interval = scenario["shards"], scenario["interval"]
        super().__init__(self.program, {"turn": 1}, start="T0")

        self.operations, self.keys = tuple(self.need), tuple(self.number)
        shards = range(1, self.shards + 1)
        self.ready = self.function("ready", dict.fromkeys(self.need.values(), False))
        self.completed = self.function("completed", dict.fromkeys(self.operations, False))
        self.pending = self.function("pending", dict.fromkeys(self.operations, False))
        self.lock = self.function("lock", dict.fromkeys(self.operations, FREE))
        self.scalar("outer", None)
        self.armed = self.function("armed", dict.fromkeys(self.operations, False))
        self.entering = self.function("entering", dict.fromkeys(self.operations, True))
        self.shard = self.function("shard", dict.fromkeys(shards))
        self.list = self.function("list", dict.fromkeys(self.keys, 0))
        self.used = self.function("used", dict.fromkeys(shards, False))
        self.content = self.function("content", dict.fromkeys(self.keys, ()))
        self.scalar("estimated", 0)
        self.completions = self.function("completions", dict.fromkeys(self.operations, 0))
        self.expirations = self.function("expirations", dict.fromkeys(self.operations, 0))
        self.won = self.function("won", dict.fromkeys(self.threads, False))
        self.raised = self.function("raised", dict.fromkeys(self.threads, False))
        self.count = self.function("count", dict.fromkeys(self.threads, 0))
        self.taken = self.function("taken", dict.fromkeys(self.threads, ()))
        self.winner = self.function("winner", dict.fromkeys(self.operations))
        self.expired_by = self.function("expiredBy", dict.fromkeys(self.operations, frozenset()))
        self.places = self.function("places", dict.fromkeys(self.operations, frozenset()))
        self.scalar("dropped", frozenset())
        self.scalar("revoked", frozenset())
        self.begin()

    def key(self, t: Process) -> str:
        """The key under which an operation is to be watched next."""
        key: str = self.keys_of[t.ao][t.nth - 1]
        return key

    # -- tryCompleteElseWatch with safeTryCompleteOrElse and watchForOperation

    def A0(self, t: Process) -> None:
        if self.protocol == "TryPending":
            self.call(t, "tryComplete", t.ao, back="A2")

    def A1(self, t: Process) -> Step:
        if not self.acquire(self.lock, t.ao):
            return BLOCKED
        self.call(t, "tryComplete", t.ao, back="A2")

    def A2(self, t: Process) -> None:
        if self.raised[self.me] or self.won[self.me]:
            t.pc = "Z1" if self.protocol == "TryPending" else "A4"

    def W0(self, t: Process) -> None:
        if t.nth > len(self.keys_of[t.ao]):
            t.pc = "A3"

    def W1(self, t: Process) -> None:
        if self.completed[t.ao]:
            t.nth += 1
            t.pc = "W0"

    def W2(self, t: Process) -> Step:
        if not self.shut(self.shard_of(self.key(t))):
            return BLOCKED

    def W3(self, t: Process) -> None:
        key = self.key(t)
        if self.list[key]:
            t.found = self.list[key]
            t.pc = "W5"
        else:
            self.content[key] = (*self.content[key], ())
            t.found = len(self.content[key])

    def W4(self, t: Process) -> None:
        key = self.key(t)
        self.list[key] = t.found
        self.used[self.shard_of(key)] = True

    def W5(self, t: Process) -> None:
        key, at = self.key(t), t.found
        lists = self.content[key]
        self.content[key] = (*lists[: at - 1], (*lists[at - 1], t.ao), *lists[at:])
        self.places[t.ao] |= {(key, at)}

    def W6(self, t: Process) -> None:
        self.shard[self.shard_of(self.key(t))] = None
        t.nth += 1
        t.found = 0
        t.pc = "W0"

    def A3(self, t: Process) -> None:
        self.estimated += 1
        if self.protocol == "TryPending":
            self.call(t, "tryPending", t.ao, back="A8")
        else:
            self.call(t, "tryComplete", t.ao, back="A4")

    def A4(self, t: Process) -> None:
        self.release(self.lock, t.ao)
        t.pc = "Z1" if self.raised[self.me] or self.won[self.me] else "A5"

    def A8(self, t: Process) -> None:
        if self.raised[self.me] or self.won[self.me]:
            t.pc = "Z1"

    def A5(self, t: Process) -> None:
        if self.completed[t.ao]:
            t.pc = "Z1"

    def A6(self, t: Process) -> None:
        self.armed[t.ao] = True

    def A7(self, t: Process) -> None:
        if self.completed[t.ao]:
            self.call(t, "cancelTask", t.ao, back="Z1")

    def Z1(self, t: Process) -> None:
        self.entering[t.ao] = False
        self.leave(t)

    # -- removeKeyIfEmpty

    def R1(self, t: Process) -> Step:
        if not self.shut(self.shard_of(t.rk)):
            return BLOCKED

    def R2(self, t: Process) -> None:
        if self.list[t.rk] != t.rw:
            t.pc = "R5"

    def R3(self, t: Process) -> None:
        if not self.empty(t.rk, t.rw):
            t.pc = "R5"

    def R4(self, t: Process) -> None:
        self.list[t.rk] = 0

    def R5(self, t: Process) -> None:
        self.shard[self.shard_of(t.rk)] = None
        self.leave(t)

    # -- checkAndComplete with tryCompleteWatched

    def C1(self, t: Process) -> Step:
        if not self.shut(self.shard_of(t.ck)):
            return BLOCKED

    def C2(self, t: Process) -> None:
        t.mine = self.list[t.ck]

    def C3(self, t: Process) -> None:
        self.shard[self.shard_of(t.ck)] = None
        if not t.mine:
            self.leave(t)

    def goes_on(self, t: Process) -> None:
        """To the operation that the iterator holds, or to the end of the traversal."""
        t.pc = "C8" if t.ahead == NOWHERE else "C0"

    def C4(self, t: Process) -> None:
        t.ahead = self.first(t.ck, t.mine, 0)
        self.goes_on(t)

    def C0(self, t: Process) -> None:
        t.here = t.ahead
        t.ahead = self.first(t.ck, t.mine, t.here[0])
        t.pc = "C5"

    def C5(self, t: Process) -> None:
        if self.completed[t.here[1]]:
            t.pc = "C7"
        else:
            self.attempt(t, t.here[1], back="C6")

    def C6(self, t: Process) -> None:
        if self.raised[self.me]:
            self.leave(t)
        elif self.won[self.me]:
            self.count[self.me] += 1
        else:
            self.goes_on(t)

    def C7(self, t: Process) -> None:
        self.free(t.ck, t.mine, t.here[0])
        self.goes_on(t)

    def C8(self, t: Process) -> None:
        if self.empty(t.ck, t.mine):
            self.call(t, "removeKeyIfEmpty", t.ck, t.mine)
        else:
            self.leave(t)

    # -- a thread runs its program

    def now(self, t: Process) -> list[str]:
        """The operation of the program that the thread is in."""
        operation: list[str] = self.program[self.me][t.turn - 2]
        return operation

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
            return
        t.turn += 1
        me = self.me
        self.won[me], self.raised[me], self.count[me], self.taken[me] = False, False, 0, ()
        name, *arguments = self.now(t)
        if name == "force":
            self.force(t, arguments[0], back="T0")
        elif name in CALLED:
            self.call(t, CALLED[name], *arguments, back="T0")
        else:
            t.pc = NEXT[name]

    def J1(self, t: Process) -> Step:
        if self.outer is not None:
            return BLOCKED
        self.outer = self.me
        self.call(t, "tryCompleteElseWatch", self.now(t)[1], back="J2")

    def J2(self, t: Process) -> None:
        self.outer = None
        t.pc = "T0"

    def E1(self, t: Process) -> None:
        _, condition, key = self.now(t)
        self.ready[condition] = True
        self.call(t, "checkAndComplete", key, back="T0")

    def M1(self, t: Process) -> None:
        self.count[self.me] = self.delayed()
        t.pc = "T0"

    def K1(self, t: Process) -> Step:
        operation = self.now(t)[1]
        if self.armed[operation]:
            self.armed[operation] = False
            self.force(t, operation, back="T1")
        elif self.entering[operation]:
            return BLOCKED
        else:
            t.pc = "T0"

    def T1(self, t: Process) -> None:
        if self.raised[self.me] or not self.won[self.me]:
            t.pc = "T0"

    def V1(self, t: Process) -> None:
        operation = self.now(t)[1]
        self.expirations[operation] += 1
        self.expired_by[operation] |= {self.me}
        t.pc = "T0"

    def returned(self, t: Process) -> object:
        """What the operation that has ended returns; ``onComplete`` may raise."""
        if self.raised[self.me]:
            return ("raised", "Failed")
        name = self.now(t)[0]
        if name in ("watch", "watch_holding", "force"):
            return self.won[self.me]
        if name == "cancel_key":
            return self.taken[self.me]
        return None if name in ("expire", "purge") else self.count[self.me]


CALLED = {
    "watch": "tryCompleteElseWatch",
    "check": "checkAndComplete",
    "cancel_key": "cancelForKey",
    "purge": "purge",
    "watched": "watched",
}
"""Operation of a program -> the procedure that it calls at once."""

NEXT = {"watch_holding": "J1", "deliver": "E1", "num_delayed": "M1", "expire": "K1"}
"""Each other operation -> its first step."""
