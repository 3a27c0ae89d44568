import threading

from pybreaker import CircuitMemoryStorage


def program() -> None:
    storage = CircuitMemoryStorage("closed")
    threads = [threading.Thread(target=storage.increment_counter) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert storage.counter == 2
