import threading

from watchdog.utils.delayed_queue import DelayedQueue


def program() -> None:
    queue = DelayedQueue(0)
    threads = [threading.Thread(target=f) for f in (queue.get, queue.get, queue.close)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
