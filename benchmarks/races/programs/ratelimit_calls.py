import contextlib
import threading

from ratelimit import RateLimitException, limits


def program() -> None:
    calls: list[int] = []
    called = limits(calls=1, period=60)(lambda: calls.append(1))

    def call() -> None:
        with contextlib.suppress(RateLimitException):
            called()

    threads = [threading.Thread(target=call) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(calls) == 1
