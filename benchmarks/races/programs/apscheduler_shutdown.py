import threading

from apscheduler.jobstores.memory import MemoryJobStore
from apscheduler.schedulers.background import BackgroundScheduler


def program() -> None:
    scheduler = BackgroundScheduler(timezone="UTC")
    scheduler.start()
    threads = [
        threading.Thread(target=scheduler.shutdown),
        threading.Thread(target=scheduler.add_jobstore, args=(MemoryJobStore(), "other")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
