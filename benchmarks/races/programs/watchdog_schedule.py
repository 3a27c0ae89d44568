import threading

from watchdog.events import FileSystemEventHandler
from watchdog.observers.api import BaseObserver, EventEmitter


def program() -> None:
    observer = BaseObserver(EventEmitter)
    threads = [
        threading.Thread(target=observer.schedule, args=(FileSystemEventHandler(), "folder"))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(observer.emitters) == 1
