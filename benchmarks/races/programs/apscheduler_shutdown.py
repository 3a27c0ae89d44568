import threading

from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.background import BackgroundScheduler


def program() -> None:
    scheduler = BackgroundScheduler(timezone="UTC")
    scheduler.start()
    threads = [
        threading.Thread(target=scheduler.shutdown),
        threading.Thread(target=scheduler.add_executor, args=(DebugExecutor(), "other")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
