"""OneShot with one decision taken away at a time; every step keeps its label."""
from impl import one_shot as impl
from impl.runtime import NoMonitor


class Unlocked:
    switch = "Exclusive"

    class OneShot(impl.OneShot):
        __slots__ = ()

        def __init__(self):
            super().__init__()
            self.lock = NoMonitor()


class OneLook:
    switch = "SecondLook"

    class OneShot(impl.OneShot):
        __slots__ = ()

        def run(self):
            if not self.done:  # read O1
                with self.lock:  # lock O2, unlock O6
                    self.done  # read O3
                    self.runs = self.runs + 1  # write O4
                    self.done = True  # write O5


class FlagFirst:
    switch = "FlagLast"

    class OneShot(impl.OneShot):
        __slots__ = ()

        def run(self):
            if not self.done:  # read O1
                with self.lock:  # lock O2, unlock O6
                    if not self.done:  # read O3
                        self.done = True  # write O4
                        self.runs = self.runs + 1  # write O5


class KeepsLock:
    switch = "Released"

    class OneShot(impl.OneShot):
        __slots__ = ()

        def run(self):
            if not self.done:  # read O1
                self.lock.acquire()  # lock O2
                if not self.done:  # read O3
                    self.runs = self.runs + 1  # write O4
                    self.done = True  # write O5
                    self.lock.release()  # unlock O6
