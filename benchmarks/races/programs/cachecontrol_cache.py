import threading

from cachecontrol.cache import DictCache


def program() -> None:
    cache = DictCache({"key": b"old"})
    threads = [
        threading.Thread(target=cache.set, args=("key", b"new")),
        threading.Thread(target=cache.delete, args=("key",)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.get("key") in (None, b"new")
