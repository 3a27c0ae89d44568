import threading

from apscheduler.schedulers.base import BaseScheduler
from apscheduler.triggers.interval import IntervalTrigger


class Scheduler(BaseScheduler):
    def shutdown(self) -> None: ...
    def wakeup(self) -> None: ...


def program() -> None:
    scheduler = Scheduler(timezone="UTC")
    threads = [threading.Thread(target=scheduler.start)]
    threads.append(threading.Thread(target=scheduler.add_job, args=(print, IntervalTrigger())))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(scheduler.get_jobs()) == 1
