import threading
from concurrent.futures import ThreadPoolExecutor, as_completed


def program() -> None:
    pool = ThreadPoolExecutor(1)
    futures = [pool.submit(int), pool.submit(int)]
    threads = [
        threading.Thread(target=lambda: list(as_completed(futures))),
        threading.Thread(target=pool.shutdown, kwargs={"cancel_futures": True}),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
