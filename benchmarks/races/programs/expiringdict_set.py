import threading

from expiringdict import ExpiringDict


def program() -> None:
    cache = ExpiringDict(max_len=1, max_age_seconds=60)
    threads = [threading.Thread(target=cache.__setitem__, args=(key, 1)) for key in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) == 1
