import contextlib
import logging.handlers
import queue
import threading


def start(listener: logging.handlers.QueueListener) -> None:
    with contextlib.suppress(RuntimeError):  # it is started already
        listener.start()


def program() -> None:
    listener = logging.handlers.QueueListener(queue.Queue())
    threads = [threading.Thread(target=start, args=(listener,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    listener.stop()
