"""Jobs of APScheduler that have a date."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable
from typing import Any

from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler


class OfAPScheduler:
    """A scheduler with a thread of its own, and its pool."""

    def __init__(self) -> None:
        self.names = itertools.count()  # not random ones: an exploration repeats its runs
        self.scheduler: Any = BackgroundScheduler(timezone=datetime.UTC)
        self.scheduler.start()

    def add(self, delay_ms: int, action: Callable[[], object]) -> str:
        date = datetime.datetime.now(datetime.UTC) + datetime.timedelta(milliseconds=delay_ms)
        name = str(next(self.names))
        self.scheduler.add_job(lambda: action(), "date", run_date=date, id=name)
        return name

    def cancel(self, job: str) -> None:
        try:
            self.scheduler.remove_job(job)
        except JobLookupError:  # it is documented: the job has run
            return

    def size(self) -> int:
        return len(self.scheduler.get_jobs())
