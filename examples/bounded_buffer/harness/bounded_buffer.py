"""How a scenario runs on impl/bounded_buffer.py, and which model state its objects are in."""

from impl import bounded_buffer

SUBJECT = ("impl.bounded_buffer",)


class Harness:
    def __init__(self, scenario, impl=bounded_buffer):
        self.buffer = impl.BoundedBuffer(scenario["capacity"])
        self.names = {"buffer": self.buffer}

    def put(self, item):
        self.buffer.put(item)

    def get(self):
        return self.buffer.get()


def shared(harness):
    """The specification's variables. A production condition shows none of the last three."""
    changed = harness.buffer.changed
    owner = getattr(getattr(changed, "lock", None), "owner", None)
    return {
        "items": tuple(harness.buffer.items),
        "owner": (owner and owner.name,),
        "asleep": (names(getattr(changed, "asleep", ())),),
        "tickets": tuple(names(takers) for takers in getattr(changed, "tickets", ())),
    }


def names(threads):
    return frozenset(thread.name for thread in threads)
