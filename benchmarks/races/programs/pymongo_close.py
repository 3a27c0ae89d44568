import threading

from pymongo import MongoClient


def program() -> None:
    client = MongoClient("localhost", connect=False)
    threads = [threading.Thread(target=client.close) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
