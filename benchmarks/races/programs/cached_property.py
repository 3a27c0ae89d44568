import functools
import threading


class Owner:
    value = functools.cached_property(lambda self: object())


def program() -> None:
    owner, values = Owner(), []
    threads = [threading.Thread(target=lambda: values.append(owner.value)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values[0] is values[1]
