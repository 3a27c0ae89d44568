import contextlib
import threading
from unittest.mock import Mock

from redis import ConnectionError, ConnectionPool


def program() -> None:
    pool = ConnectionPool(Mock(**{"return_value.can_read.return_value": False}), max_connections=1)

    def take() -> None:
        with contextlib.suppress(ConnectionError):  # there is none left
            pool.get_connection("PING")

    threads = [threading.Thread(target=take) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pool.connection_class.call_count == 1
