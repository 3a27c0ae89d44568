import threading
from io import StringIO

from tqdm import tqdm


def program() -> None:
    bar = tqdm(total=2, file=StringIO())
    threads = [threading.Thread(target=bar.update) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bar.n == 2
