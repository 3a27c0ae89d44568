import threading

from limits.storage import MemoryStorage


def program() -> None:
    storage = MemoryStorage()
    threads = [threading.Thread(target=storage.incr, args=("key", 100)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert storage.get("key") == 2
