import threading
import unittest.mock

from psycopg_pool import ConnectionPool


def program() -> None:
    pool = ConnectionPool(
        connection_class=unittest.mock.Mock(),
        min_size=1,
        num_workers=1,
        max_idle=threading.TIMEOUT_MAX,
    )
    pool.wait(timeout=None)
    pool.close()
