import threading

import urllib3


def program() -> None:
    manager, pools = urllib3.PoolManager(), []
    threads = [
        threading.Thread(target=lambda: pools.append(manager.connection_from_host("localhost")))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pools[0] is pools[1]
