"""Two locks in two orders: `pytest --wheelproof-locks` names them, though the test passes."""

import threading


class Shelves:
    def __init__(self):
        self.front, self.back = threading.Lock(), threading.Lock()

    def refill(self):
        with self.front, self.back:
            pass

    def tidy(self):
        with self.back, self.front:
            pass


def test_shelves():
    shelves = Shelves()
    done = threading.Event()

    def evening():
        done.wait()
        shelves.tidy()

    clerk = threading.Thread(target=evening, name="clerk")
    clerk.start()
    shelves.refill()
    done.set()
    clerk.join()
