import threading

from dogpile.cache import make_region


def program() -> None:
    region, calls = make_region().configure("dogpile.cache.memory"), []

    def create() -> str:
        calls.append("created")
        return "value"

    threads = [threading.Thread(target=region.get_or_create, args=("key", create)) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == ["created"]
