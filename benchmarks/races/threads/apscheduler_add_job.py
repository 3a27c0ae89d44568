"""A job is added while a scheduler starts. It pauses once: right before it stores that it runs."""

import sys
import threading

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.schedulers.base import STATE_STOPPED

SHOWN = 9

added = threading.Event()
started = threading.Event()


class Paused(BackgroundScheduler):
    """The start pauses until the other thread has added its job, or for a second."""

    @property
    def state(self) -> int:
        return self.__dict__["state"]

    @state.setter
    def state(self, value: int) -> None:
        if value != STATE_STOPPED and not started.is_set():
            started.set()
            added.wait(1)
        self.__dict__["state"] = value


scheduler = Paused(timezone="UTC")
starter = threading.Thread(target=scheduler.start, kwargs={"paused": True})
starter.start()
started.wait(5)
scheduler.add_job(print, "interval", seconds=1)
added.set()
starter.join()
count = len(scheduler.get_jobs())
scheduler.shutdown()
print(f"1 job was added, and the scheduler that runs has {count}")
sys.exit(0 if count == 1 else SHOWN)
