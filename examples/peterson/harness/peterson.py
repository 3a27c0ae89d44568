"""How a scenario runs on impl/peterson.py, and which model state its objects are in."""

from impl import peterson

SUBJECT = ("impl.peterson",)

NAMES = ("a", "b")
"""The threads 0 and 1."""


class Harness:
    def __init__(self, scenario, impl=peterson):
        self.lock, self.section = impl.Peterson(), impl.Section()
        self.names = {"lock": self.lock, "section": self.section}

    def use(self, thread):
        me = NAMES.index(thread)
        self.lock.acquire(me)
        self.section.enter()
        self.section.leave()
        self.lock.release(me)


def shared(harness):
    lock = harness.lock
    return {
        "wants": tuple(side.wants for side in lock.sides),
        "turn": (NAMES[lock.turn],),
        "inside": (harness.section.inside,),
    }
