import threading

from sortedcontainers import SortedList


def program() -> None:
    numbers = SortedList()
    threads = [threading.Thread(target=numbers.add, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(numbers) == [1, 2]
