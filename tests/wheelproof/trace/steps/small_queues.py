"""Sources of a small project: a queue with its model."""

QUEUE = """
class Box:
    __slots__ = ("todo", "clock")

    def __init__(self, scenario):
        self.todo, self.clock = Queue(scenario["room"]), Time()
        for item in scenario["items"]:
            self.todo.put_nowait(item)

    def put(self, n):
        self.todo.put(n)  # wait P1

    def get(self):
        return self.todo.get()  # wait G1

    def try_put(self, n):
        try:
            self.todo.put_nowait(n)  # try P2
        except Full:
            return "full"

    def try_get(self):
        try:
            return self.todo.get(block=False)  # try G2
        except Empty:
            return "empty"

    def put_within(self, n):
        try:
            self.todo.put(n, timeout=n)  # wait P3, wake P4
        except Full:
            return "full"

    def get_within(self, n):
        try:
            return self.todo.get(timeout=n)  # wait G3, wake G4
        except Empty:
            return "empty"

    def done(self):
        try:
            self.todo.task_done()  # update D1
        except ValueError:
            return "too many"

    def join(self):
        self.todo.join()  # wait J1

    def size(self):
        return self.todo.qsize()  # read K1

    def is_empty(self):
        return self.todo.empty()  # read K2

    def is_full(self):
        return self.todo.full()  # read K3

    def sleep(self, n):
        self.clock.advance(n)  # update C1
"""

QUEUE_MODEL = """
def place_of(items):
    return 0

class Model(Programs):
    ENTRY = {"put": "P1", "try_put": "P2", "put_within": "P3", "get": "G1", "try_get": "G2",
             "get_within": "G3", "done": "D1", "join": "J1", "size": "K1", "is_empty": "K2",
             "is_full": "K3", "sleep": "C1"}
    items, unfinished = Scalar("items"), Scalar("unfinished")

    def declare(self, scenario):
        self.room = scenario["room"]
        self.scalar("items", tuple(scenario["items"]))
        self.scalar("unfinished", len(scenario["items"]))

    def P1(self, t):
        if self.full():
            return BLOCKED
        self.put(t)

    def P2(self, t):
        self.put(t)

    def P3(self, t):
        if self.full():
            t.until = self.now + t.n
        else:
            self.put(t)

    def P4(self, t):
        if self.full() and not self.late(t):
            return BLOCKED
        self.put(t)

    def G1(self, t):
        if not self.items:
            return BLOCKED
        self.get(t)

    def G2(self, t):
        self.get(t)

    def G3(self, t):
        if self.items:
            self.get(t)
        else:
            t.until = self.now + t.n

    def G4(self, t):
        if not self.items and not self.late(t):
            return BLOCKED
        self.get(t)

    def D1(self, t):
        if self.unfinished == 0:
            self.ended(t, "too many")
        else:
            self.unfinished -= 1
            self.ended(t)

    def J1(self, t):
        if self.unfinished:
            return BLOCKED
        self.ended(t)

    def K1(self, t):
        self.ended(t, len(self.items))

    def K2(self, t):
        self.ended(t, not self.items)

    def K3(self, t):
        self.ended(t, self.full())

    def full(self):
        return 0 < self.room <= len(self.items)

    def put(self, t):
        if self.full():
            self.ended(t, "full")
        else:
            self.items, self.unfinished = (*self.items, t.n), self.unfinished + 1
            self.ended(t)

    def get(self, t):
        if not self.items:
            self.ended(t, "empty")
            return
        left = list(self.items)
        item = left.pop(place_of(self.items))
        self.items = tuple(left)
        self.ended(t, item)
"""
