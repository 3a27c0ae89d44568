"""Kafka's DelayedFuture and DelayedFuturePurgatory: an operation that waits for futures.

A future is a ``concurrent.futures.Future``. The purgatory watches all operations under one key, and
no event checks that key: the last future to be done completes the operation, on a thread of the
purgatory's own, unless the timeout comes before.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from typing import Any

from impl.arguments import able, function, whole
from impl.delayed_operation import DelayedOperation
from impl.delayed_operation_purgatory import DelayedOperationPurgatory, Timer
from impl.runtime import Atomic
from impl.unclosed import Closing

KEY = "DelayedFuture"
"""The key that every operation of these purgatories waits for."""


class DelayedFuture(DelayedOperation):
    """Completes when all futures are done, with results or with exceptions; then calls back.

    If the time is over, the futures that are not done get a TimeoutError as their exception. Their
    owner's own ``set_result`` raises InvalidStateError then. So they must not be the futures of an
    executor, whose thread would end of it. Kafka: ``DelayedFuture``.
    """

    __slots__ = ("futures", "response_callback")

    def __init__(
        self,
        timeout_ms: int,
        futures: Sequence[Future[Any]],
        response_callback: Callable[[], object],
    ) -> None:
        """``response_callback``: called once, with no argument, when every future is done."""
        whole("timeout_ms", timeout_ms)
        super().__init__(timeout_ms)
        self.futures = tuple(futures)
        for future in self.futures:
            able("future", future, Future)
        function("response_callback", response_callback)
        self.response_callback = response_callback

    def try_complete(self) -> bool:
        return all(future.done() for future in self.futures) and self.force_complete()

    def on_complete(self) -> None:
        for future in self.futures:
            # Its owner may complete it meanwhile.
            with contextlib.suppress(InvalidStateError):
                if not future.done():
                    future.set_exception(
                        TimeoutError(f"the future was not done within {self.delay_ms} ms")
                    )
        self.response_callback()

    def on_expiration(self) -> None:
        """Nothing: ``on_complete`` has called back."""


class DelayedFuturePurgatory(Closing):
    """Operations that wait for futures. Kafka: ``DelayedFuturePurgatory``.

    A context manager, which shuts down at the end of its block.
    """

    __slots__ = ("purgatory", "pool")

    def __init__(self, name: str, timer: Timer | None = None, reaper_enabled: bool = True) -> None:
        """As :class:`~impl.delayed_operation_purgatory.DelayedOperationPurgatory`.

        The thread that completes operations is ``DelayedExecutor-name``. It starts when it has
        something to do.
        """
        self.purgatory = DelayedOperationPurgatory(
            name, timer, reaper_enabled=reaper_enabled, shards=1
        )
        self.pool = ThreadPoolExecutor(1, f"DelayedExecutor-{name}")

    def __repr__(self) -> str:
        return f"<DelayedFuturePurgatory on {self.purgatory!r}>"

    def try_complete_else_watch(
        self,
        timeout_ms: int,
        futures: Sequence[Future[Any]],
        response_callback: Callable[[], object],
    ) -> DelayedFuture:
        """Call back when all futures are done, or after ``timeout_ms``; at once if they are.

        Returns the operation. Without futures it is completed.
        """
        operation = DelayedFuture(timeout_ms, futures, response_callback)
        if not self.purgatory.try_complete_else_watch(operation, (KEY,)):
            left = Atomic(len(operation.futures))

            def done(future: Future[Any]) -> None:
                if left.add_and_get(-1) == 0:
                    # The purgatory may be shut down by now: then the operation stays open.
                    with contextlib.suppress(RuntimeError):
                        self.pool.submit(operation.force_complete)

            for future in operation.futures:
                future.add_done_callback(done)
        return operation

    def shutdown(self, timeout_s: float | None = None) -> None:
        """Stop both threads; ``timeout_s``: how long to wait for the reaper, in seconds."""
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.purgatory.shutdown(timeout_s)

    def close(self) -> None:
        """Shut down: what ``with`` calls at its end."""
        self.shutdown()
