import threading
from unittest.mock import Mock

from sqlalchemy.pool import QueuePool


def program() -> None:
    pool = QueuePool(Mock, pool_size=1, max_overflow=1)
    threads = [threading.Thread(target=lambda: pool.connect().close()) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pool.checkedout() == 0 and pool.checkedin() == 1
