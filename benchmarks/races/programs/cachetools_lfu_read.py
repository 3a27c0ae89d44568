import threading

from cachetools import LFUCache


def program() -> None:
    cache = LFUCache(4)
    cache["a"] = cache["b"] = 1
    threads = [threading.Thread(target=cache.get, args=("a",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([cache.popitem(), cache.popitem()]) == 2
