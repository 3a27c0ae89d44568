"""How a scenario runs on impl/door.py, and which model state its objects are in."""

from impl import door

SUBJECT = ("impl.door",)


class Harness:
    def __init__(self, scenario, impl=door):
        self.door = impl.Door()
        self.names = {"door": self.door}

    def enter(self):
        self.door.enter()

    def unlock(self):
        self.door.unlock()


def shared(harness):
    """The specification's variables. A production condition shows none of the last three."""
    door, changed = harness.door, harness.door.changed
    owner = getattr(getattr(changed, "lock", None), "owner", None)
    return {
        "opened": (door.opened,),
        "inside": (door.inside,),
        "owner": (owner and owner.name,),
        "asleep": (names(getattr(changed, "asleep", ())),),
        "tickets": tuple(names(takers) for takers in getattr(changed, "tickets", ())),
    }


def names(threads):
    return frozenset(thread.name for thread in threads)
