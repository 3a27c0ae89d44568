import threading

from urllib3 import HTTPConnectionPool


def program() -> None:
    pool = HTTPConnectionPool("localhost")
    threads = [threading.Thread(target=pool.close) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
