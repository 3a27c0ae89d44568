import threading

from cachetools import TTLCache


def program() -> None:
    cache = TTLCache(4, ttl=1, timer=lambda: 0)
    cache["a"] = 1
    threads = [threading.Thread(target=cache.expire, args=(2,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not cache
