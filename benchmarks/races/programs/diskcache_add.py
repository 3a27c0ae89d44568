import tempfile
import threading

from diskcache import Cache


def program() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache, added = Cache(folder), []
        threads = [
            threading.Thread(target=lambda: added.append(cache.add("key", 1))) for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(added) == [False, True]
