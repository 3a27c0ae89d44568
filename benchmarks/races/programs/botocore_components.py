import threading

from botocore.session import ComponentLocator


def program() -> None:
    locator = ComponentLocator()
    locator.lazy_register_component("loader", object)
    threads = [threading.Thread(target=locator.get_component, args=("loader",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
