import threading

from boltons.cacheutils import LRU


def program() -> None:
    cache = LRU(max_size=1)
    threads = [threading.Thread(target=cache.__setitem__, args=(key, 1)) for key in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) == 1
