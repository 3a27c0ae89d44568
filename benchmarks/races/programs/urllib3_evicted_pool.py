import contextlib
import threading

import urllib3


def get(manager: urllib3.PoolManager, port: int) -> None:
    with contextlib.suppress(urllib3.exceptions.NewConnectionError):  # as no server listens
        manager.request("GET", f"http://127.0.0.1:{port}/")


def program() -> None:
    manager = urllib3.PoolManager(num_pools=1, retries=False)
    threads = [threading.Thread(target=get, args=(manager, port)) for port in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
