import threading

from cachetools import LRUCache, cached


def program() -> None:
    @cached(LRUCache(1), lock=threading.Lock(), info=True)
    def double(number: int) -> int:
        return 2 * number

    threads = [threading.Thread(target=double, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (double.cache_info().misses, double.cache_info().currsize) == (2, 1)
