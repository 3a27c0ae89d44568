"""The same lock where stores into plain fields may be late; see spec/DelayedPeterson.tla."""

from wheelproof_runtime import Memory

from harness import peterson

SUBJECT = ("impl.peterson",)

MEMORY = ("wants", "turn", "inside")
"""The first two are volatile, so never late. They are here for the decisions about that."""


class Harness(peterson.Harness):
    def __init__(self, scenario, impl=peterson.peterson):
        super().__init__(scenario, impl)
        self.buffers = Memory()
        self.names["buffers"] = self.buffers

    def memory(self, thread, field):
        more = True
        while more:
            more = self.buffers.write_back(thread, field)  # write W1


def shared(harness):
    """A late store names the place that it is for: a thread's flag has the thread's name."""
    lock, section = harness.lock, harness.section
    places = {**dict(zip(lock.sides, peterson.NAMES)), lock: "turn", section: "inside"}
    stores = getattr(harness.buffers, "stores", ())  # production delays nothing
    return {
        "late": tuple(
            (
                thread.name,
                field,
                places[instance],
                peterson.NAMES[value] if field == "turn" else value,
                frozenset(places[marked] for marked, _ in marks),
            )
            for thread, field, instance, value, marks in stores
        ),
        **peterson.shared(harness),
    }
