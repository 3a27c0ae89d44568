"""Sources of small projects: a semaphore, an event, a barrier; each with its model."""

SEMAPHORE = """
class Box:
    __slots__ = ("places", "clock")

    def __init__(self, scenario):
        self.places, self.clock = Semaphore(scenario["value"]), Time()

    def hold(self):
        with self.places:  # lock H1, unlock H2
            pass

    def enter(self):
        return self.places.acquire()  # lock A1

    def attempt(self):
        return self.places.acquire(False)  # try B1

    def within(self, n):
        return self.places.acquire(True, n)  # wait W1, wake W2

    def leave(self, n):
        try:
            self.places.release(n)  # unlock R1
        except ValueError:
            return "too many"

    def sleep(self, n):
        self.clock.advance(n)  # update C1
"""

SEMAPHORE_MODEL = """
LIMIT = None

class Model(Programs):
    ENTRY = {"hold": "H1", "enter": "A1", "attempt": "B1", "within": "W1", "leave": "R1",
             "sleep": "C1"}
    value = Scalar("value")

    def declare(self, scenario):
        self.scalar("value", scenario["value"])
        self.limit = LIMIT and scenario["value"]

    def H1(self, t):
        if self.value == 0:
            return BLOCKED
        self.value -= 1

    def H2(self, t):
        self.value += 1
        self.ended(t)

    def A1(self, t):
        if self.value == 0:
            return BLOCKED
        self.take(t)

    def B1(self, t):
        self.take(t) if self.value else self.ended(t, False)

    def W1(self, t):
        if self.value:
            self.take(t)
        else:
            t.until = self.now + t.n

    def W2(self, t):
        if not self.value and not self.late(t):
            return BLOCKED
        self.take(t) if self.value else self.ended(t, False)

    def R1(self, t):
        if self.limit and self.value + t.n > self.limit:
            self.ended(t, "too many")
        else:
            self.value += t.n
            self.ended(t)

    def take(self, t):
        self.value -= 1
        self.ended(t, True)
"""

EVENT = """
class Box:
    __slots__ = ("ready", "clock")

    def __init__(self, scenario):
        self.ready, self.clock = Event(), Time()

    def wait(self):
        return self.ready.wait()  # wait W1, wake W2

    def within(self, n):
        return self.ready.wait(n)  # wait W3, wake W4

    def set(self):
        self.ready.set()  # write S1

    def clear(self):
        self.ready.clear()  # write S2

    def look(self):
        return self.ready.is_set()  # read L1

    def sleep(self, n):
        self.clock.advance(n)  # update C1
"""

EVENT_MODEL = """
class Model(Programs):
    ENTRY = {"wait": "W1", "within": "W3", "set": "S1", "clear": "S2", "look": "L1",
             "sleep": "C1"}
    flag, asleep = Scalar("flag"), Scalar("asleep")

    def declare(self, scenario):
        self.scalar("flag", False)
        self.scalar("asleep", ())

    def W1(self, t):
        self.fall_asleep(t, None)

    def W2(self, t):
        return self.wake(t)

    def W3(self, t):
        self.fall_asleep(t, self.now + t.n)

    def W4(self, t):
        return self.wake(t)

    def S1(self, t):
        self.flag, self.asleep = True, ()
        self.ended(t)

    def S2(self, t):
        self.flag = False
        self.ended(t)

    def L1(self, t):
        self.ended(t, self.flag)

    def fall_asleep(self, t, until):
        if self.flag:
            self.ended(t, True)
        else:
            self.asleep, t.until = tuple(sorted((*self.asleep, self.me))), until

    def wake(self, t):
        slept = self.me in self.asleep
        if slept and not self.late(t):
            return BLOCKED
        self.asleep = tuple(each for each in self.asleep if each != self.me)
        self.ended(t, not slept)
"""

BARRIER = """
class Box:
    __slots__ = ("round", "clock", "acts")

    acts: Plain[int]

    def __init__(self, scenario):
        self.round, self.clock, self.acts = Barrier(scenario["parties"], self.act), Time(), 0

    def act(self):
        self.acts = self.acts + 1  # write A1

    def meet(self):
        try:
            return self.round.wait()  # wait M1, wake M2
        except BrokenBarrierError:
            return "broken"

    def within(self, n):
        try:
            return self.round.wait(n)  # wait M3, wake M4
        except BrokenBarrierError:
            return "broken"

    def reset(self):
        self.round.reset()  # notify R1

    def abort(self):
        self.round.abort()  # notify B1

    def ask(self):
        return self.round.broken  # read K1

    def count(self):
        return self.round.n_waiting  # read K2

    def sleep(self, n):
        self.clock.advance(n)  # update C1
"""

BARRIER_MODEL = """
class Model(Programs):
    ENTRY = {"meet": "M1", "within": "M3", "reset": "R1", "abort": "B1", "ask": "K1",
             "count": "K2", "sleep": "C1"}
    phase, inside, acts = Scalar("phase"), Scalar("inside"), Scalar("acts")

    def declare(self, scenario):
        self.scalar("phase", "filling")
        self.scalar("inside", ())
        self.scalar("acts", 0)

    def M1(self, t):
        return self.arrive(t, None)

    def M2(self, t):
        return self.leave_round(t)

    def M3(self, t):
        return self.arrive(t, self.now + t.n)

    def M4(self, t):
        return self.leave_round(t)

    def A1(self, t):
        self.acts += 1
        self.phase = "draining" if self.inside else "filling"
        self.ended(t, t.n)

    def R1(self, t):
        if self.phase == "acting":
            return BLOCKED
        if not self.inside:
            self.phase = "filling"
        elif self.phase != "draining":
            self.phase = "resetting"
        self.ended(t)

    def B1(self, t):
        if self.phase == "acting":
            return BLOCKED
        self.phase = "broken"
        self.ended(t)

    def K1(self, t):
        self.ended(t, self.phase == "broken")

    def K2(self, t):
        self.ended(t, len(self.inside) if self.phase == "filling" else 0)

    def arrive(self, t, until):
        if self.phase not in ("filling", "broken"):
            return BLOCKED
        index = len(self.inside)
        if self.phase == "broken":
            self.ended(t, "broken")
        elif index + 1 == self.scenario["parties"]:
            self.phase, t.n, t.pc = "acting", index, "A1"
        else:
            self.inside = tuple(sorted((*self.inside, (self.me, index))))
            t.until = until

    def leave_round(self, t):
        if self.phase == "acting" or (self.phase == "filling" and not self.late(t)):
            return BLOCKED
        if self.phase == "filling":
            self.phase = "broken"
        index = dict(self.inside)[self.me]
        self.inside = tuple(each for each in self.inside if each[0] != self.me)
        full = self.phase == "draining"
        if not self.inside and self.phase != "broken":
            self.phase = "filling"
        self.ended(t, index if full else "broken")
"""
