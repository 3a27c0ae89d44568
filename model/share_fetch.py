"""The executable model of ``spec/ShareFetch.tla``: one method per label."""

from __future__ import annotations

from model.pluscal import (
    BLOCKED,
    DONE,
    Function,
    Procedure,
    Process,
    Scalar,
    Scenario,
    Step,
    Values,
    as_record,
)
from model.share_fetch_properties import ACCEPTED, ACQUIRED, AVAILABLE, Batch, Properties

Batches = tuple[Batch, ...]


class Model(Properties):
    """States of one scenario: its fields as in the TOML."""

    AUXILIARY = frozenset({"won", "answers"})
    LOCAL = frozenset({"won"})

    PROCEDURES = {
        "answer": Procedure("G1", ("taker",), (("offsets", ()),)),
        "try": Procedure("F1", ("tried",)),
        "check": Procedure("C1", (), (("ahead", ()), ("met", ()), ("again", False))),
        "enter": Procedure("A1", ("entered",)),
        "expire": Procedure("E1", ("expiring",)),
        "acknowledge": Procedure("R0", ("acked", "kind"), (("has", False),)),
        "end_write": Procedure(
            "S1",
            ("fails",),
            (("task", None), ("late", False), ("freed", False)),
            (("fails", False),),
        ),
        "time_out": Procedure("X1", ("lapsed",), (("frees", False),)),
        "append": Procedure("U1", ("low", "high"), (), (("low", 0), ("high", 0))),
        "trim": Procedure("M1", ("offset",), (), (("offset", 0),)),
    }
    OPERATIONS: dict[str, tuple[str, tuple[str | bool, ...]]] = {
        "fetch": ("enter", ()),
        "release": ("acknowledge", (AVAILABLE,)),
        "accept": ("acknowledge", (ACCEPTED,)),
        "write": ("end_write", (False,)),
        "fail": ("end_write", (True,)),
    }

    lock, cache, start = Scalar("lock"), Scalar("cache"), Scalar("start")
    fetching, watched, writes = Scalar("fetching"), Scalar("watched"), Scalar("writes")

    def __init__(self, scenario: Scenario) -> None:
        self.program = scenario["threads"]
        super().__init__(self.program, {"turn": 1}, start="T0")
        steps = (step for program in self.program.values() for step in program)
        self.fetches = fetches = sorted({step[1] for step in steps if step[0] == "fetch"})
        self.scalar("lock", None)
        self.scalar("cache", tuple(Batch(first, last) for first, last in scenario["batches"]))
        self.scalar("start", 1)
        self.scalar("fetching", None)
        self.scalar("watched", ())
        self.scalar("writes", ())
        self.held: Function[str | None] = self.function("held", dict.fromkeys(fetches))
        self.completed = self.function("completed", dict.fromkeys(fetches, False))
        self.result = self.function("result", dict.fromkeys(fetches, ()))
        self.reply = self.function("reply", dict.fromkeys(fetches, None))
        self.expired = self.function("expired", dict.fromkeys(fetches, False))
        self.won = self.function("won", dict.fromkeys(self.threads, False))
        self.answers = self.function("answers", dict.fromkeys(fetches, 0))
        self.begin()

    def tla(self, variable: str, piece: Values) -> object:
        """As the machine's, and batches as records."""
        return as_record(super().tla(variable, piece))

    # -- batches

    def _free_of(self, batches: Batches) -> list[int]:
        return [i for i, batch in enumerate(batches) if batch.is_free()]

    def _cut(self, batch: Batch) -> Batch:
        """A batch without the records before the log's start, if it may be cut."""
        if batch.is_free() and batch.first < self.start:
            return batch._replace(first=self.start)
        return batch

    def _remains(self, batch: Batch) -> bool:
        return batch.first <= batch.last and (batch.state != ACCEPTED or batch.moving)

    def _rest(self, batches: Batches) -> Batches:
        return tuple(batch for batch in map(self._cut, batches) if self._remains(batch))

    def _settled(self, batch: Batch, fails: bool, late: bool) -> Batch:
        """A batch whose transition ends."""
        if not fails:
            return batch._replace(owner=None, moving=False)
        if late:
            return Batch(batch.first, batch.last)
        return batch._replace(state=ACQUIRED, moving=False)

    def _ended(self, fetch: str, fails: bool, late: bool) -> Batches:
        return tuple(
            self._settled(batch, fails, late) if batch.moving and batch.owner == fetch else batch
            for batch in self.cache
        )

    def _lapsed(self, fetch: str) -> Batches:
        return tuple(
            Batch(batch.first, batch.last) if batch.is_held(fetch) else batch
            for batch in self.cache
        )

    def _grow(self, batches: Batches) -> bool:
        """Change the batches; whether more of them are free."""
        before, self.cache = self.cache, batches
        return len(self._free_of(batches)) > len(self._free_of(before))

    def _lock(self) -> bool:
        if self.lock is not None:
            return False
        self.lock = self.me
        return True

    def _hold(self, fetch: str) -> bool:
        if self.held[fetch] is not None:
            return False
        self.held[fetch] = self.me
        return True

    # -- ShareFetch.answer

    def G1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if not self._free():
            t.pc = "G3"
        return None

    def G2(self, t: Process) -> None:
        batches = list(self.cache)
        place = self._free_of(self.cache)[0]
        t.offsets = batches[place].first, batches[place].last
        batches[place] = batches[place]._replace(state=ACQUIRED, owner=t.taker)
        self.cache = tuple(batches)

    def G3(self, t: Process) -> None:
        self.lock = None

    def K2(self, t: Process) -> None:
        self.result[t.taker] = t.offsets
        self.answers[t.taker] += 1
        self.leave(t)

    # -- ShareFetch.try_complete

    def F1(self, t: Process) -> None:
        if self.fetching is not None:
            self.won[self.me] = False
            self.leave(t)
        else:
            self.fetching = t.tried

    def L1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        return None

    def L2(self, t: Process) -> None:
        self.won[self.me] = self._free()

    def L3(self, t: Process) -> None:
        self.lock = None
        if not self.won[self.me]:
            t.pc = "F2"

    def K1(self, t: Process) -> None:
        self.completed[t.tried] = True
        self.call(t, "answer", t.tried, back="F2")

    def F2(self, t: Process) -> None:
        self.fetching = None
        self.leave(t)

    # -- SharePartition.check

    def _behind(self, place: int) -> tuple[int, str] | tuple[()]:
        """The next fetch in the list behind a place, with its own; () if there is none."""
        places = range(place + 1, len(self.watched) + 1)
        return next(((i, self.watched[i - 1]) for i in places if self.watched[i - 1]), ())

    def C1(self, t: Process) -> None:
        t.ahead, t.again = self._behind(0), False

    def C0(self, t: Process) -> None:
        if not t.ahead:
            if t.again:
                t.pc = "C1"
            else:
                self.leave(t)

    def C2(self, t: Process) -> None:
        t.met, t.ahead = t.ahead, self._behind(t.ahead[0])

    def C3(self, t: Process) -> None:
        if self.completed[t.met[1]]:
            t.pc = "C4"

    def B1(self, t: Process) -> Step:
        if not self._hold(t.met[1]):
            return BLOCKED
        return None

    def B2(self, t: Process) -> None:
        if self.completed[t.met[1]]:
            self.won[self.me] = False
        else:
            self.call(t, "try", t.met[1], back="B3")

    def B3(self, t: Process) -> None:
        self.held[t.met[1]] = None
        if not self.won[self.me]:
            t.pc = "C0"
        else:
            t.again = True

    def C4(self, t: Process) -> None:
        watched = list(self.watched)
        watched[t.met[0] - 1] = None
        self.watched = tuple(watched)
        t.pc = "C0"

    # -- ShareFetch.enter

    def A1(self, t: Process) -> Step:
        if not self._hold(t.entered):
            return BLOCKED
        self.call(t, "try", t.entered, back="A0")
        return None

    def A0(self, t: Process) -> None:
        if self.won[self.me]:
            t.pc = "A3"

    def A2(self, t: Process) -> None:
        self.watched += (t.entered,)
        self.call(t, "try", t.entered, back="A3")

    def A3(self, t: Process) -> None:
        self.held[t.entered] = None
        if self.won[self.me]:
            self.call(t, "check")
        else:
            self.leave(t)

    # -- ShareFetch.expire

    def E1(self, t: Process) -> Step:
        if not self._hold(t.expiring):
            return BLOCKED
        return None

    def E2(self, t: Process) -> None:
        if self.completed[t.expiring]:
            self.won[self.me] = False
            t.pc = "E7"

    def E3(self, t: Process) -> None:
        self.completed[t.expiring] = True

    def E4(self, t: Process) -> None:
        free = self.fetching is None
        self.won[self.me] = free
        if free:
            self.fetching = t.expiring
            self.call(t, "answer", t.expiring, back="E6")

    def E5(self, t: Process) -> None:
        self.result[t.expiring] = ()
        self.answers[t.expiring] += 1
        t.pc = "E7"

    def E6(self, t: Process) -> None:
        self.fetching = None

    def E7(self, t: Process) -> None:
        self.held[t.expiring] = None
        if self.won[self.me]:
            self.call(t, "check")
        else:
            self.leave(t)

    # -- SharePartition.acknowledge

    def R0(self, t: Process) -> None:
        if not self.result[t.acked]:
            self.leave(t)

    def R1(self, t: Process) -> None:
        self.reply[t.acked] = "pending"

    def R2(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        t.has = any(batch.is_held(t.acked) for batch in self.cache)
        if not t.has:
            t.pc = "R4"
        return None

    def R3(self, t: Process) -> None:
        self.cache = tuple(
            batch._replace(state=t.kind, moving=True) if batch.is_held(t.acked) else batch
            for batch in self.cache
        )

    def R4(self, t: Process) -> None:
        self.lock = None
        if not t.has:
            t.pc = "R6"

    def R5(self, t: Process) -> None:
        self.writes += (t.acked,)
        self.leave(t)

    def R6(self, t: Process) -> None:
        self.reply[t.acked] = "refused"
        self.leave(t)

    # -- SharePartition.end_write

    def S1(self, t: Process) -> None:
        if not self.writes:
            self.leave(t)
        else:
            t.task, *rest = self.writes
            self.writes = tuple(rest)

    def S2(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        return None

    def S3(self, t: Process) -> None:
        t.late = self.expired[t.task]

    def S4(self, t: Process) -> None:
        t.freed = self._grow(self._rest(self._ended(t.task, t.fails, t.late)))

    def S5(self, t: Process) -> None:
        self.lock = None

    def S6(self, t: Process) -> None:
        self.reply[t.task] = "failed" if t.fails else "done"
        if t.freed:
            self.call(t, "check")
        else:
            self.leave(t)

    # -- SharePartition.time_out

    def X1(self, t: Process) -> None:
        if not self.result[t.lapsed]:
            self.leave(t)

    def X2(self, t: Process) -> None:
        self.expired[t.lapsed] = True

    def X3(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        return None

    def X4(self, t: Process) -> None:
        t.frees = self._grow(self._rest(self._lapsed(t.lapsed)))

    def X5(self, t: Process) -> None:
        self.lock = None
        if t.frees:
            self.call(t, "check")
        else:
            self.leave(t)

    # -- the log

    def U1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        return None

    def U2(self, t: Process) -> None:
        self.cache += (Batch(t.low, t.high),)

    def U3(self, t: Process) -> None:
        self.lock = None
        self.call(t, "check")

    def M1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        return None

    def M2(self, t: Process) -> None:
        self.start = max(self.start, t.offset)

    def M3(self, t: Process) -> None:
        self.cache = self._rest(self.cache)

    def M4(self, t: Process) -> None:
        self.lock = None
        self.leave(t)

    # -- the threads

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
            return
        t.turn += 1
        self.won[self.me] = False
        name, *arguments = self.program[self.me][t.turn - 2]
        procedure, more = self.OPERATIONS.get(name, (name, ()))
        self.call(t, procedure, *arguments, *more, back="T0")
