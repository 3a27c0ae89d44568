import threading

from requests.adapters import HTTPAdapter


def program() -> None:
    adapter, pools = HTTPAdapter(), []

    def connect() -> None:
        pools.append(adapter.poolmanager.connection_from_url("http://localhost"))

    threads = [threading.Thread(target=connect) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pools[0] is pools[1]
