import threading

from watchdog.utils.bricks import SkipRepeatsQueue


def program() -> None:
    queue = SkipRepeatsQueue()
    threads = [threading.Thread(target=queue.put, args=("event",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert queue.qsize() == 1
