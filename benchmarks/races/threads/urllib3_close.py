"""Two threads close a pool. The first pauses once: right after `self.pool is None` has read it."""

import queue
import sys
import threading

from urllib3 import HTTPConnectionPool

SHOWN = 9

closed = threading.Event()
tested = threading.Event()


class Paused(HTTPConnectionPool):
    """The first read by the closer pauses until the other thread has closed the pool."""

    @property
    def pool(self) -> queue.Queue[object] | None:  # type: ignore[override]
        value = self.__dict__["pool"]
        if threading.current_thread() is closer and not tested.is_set():
            tested.set()
            closed.wait(1)
        return value

    @pool.setter
    def pool(self, value: queue.Queue[object] | None) -> None:
        self.__dict__["pool"] = value


failures: list[BaseException] = []


def close() -> None:
    try:
        pool.close()
    except AttributeError as error:
        failures.append(error)


closer = threading.Thread(target=close)
pool = Paused("localhost")
closer.start()
tested.wait(5)
pool.close()
closed.set()
closer.join()
print(f"close raised {failures[0]!r}" if failures else "both have closed the pool")
sys.exit(SHOWN if failures else 0)
