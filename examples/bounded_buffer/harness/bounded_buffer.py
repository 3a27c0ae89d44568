"""How a scenario runs on impl/bounded_buffer.py."""

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
