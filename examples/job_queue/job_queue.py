"""A queue of jobs, and the adapter by which its specification drives it."""

from collections import deque


class JobQueue:
    """Jobs wait in a queue, and workers take them in their order."""

    def __init__(self, limit: int) -> None:
        self.waiting: deque[int] = deque()
        self.busy: dict[str, int] = {}
        self.limit = limit

    def put(self, job: int) -> bool:
        if len(self.waiting) == self.limit:
            return False
        self.waiting.append(job)
        return True

    def take(self, worker: str) -> int:
        self.busy[worker] = self.waiting.popleft()
        return self.busy[worker]

    def finish(self, worker: str) -> None:
        del self.busy[worker]


class Adapter:
    """A method for each action, and the variables of the specification."""

    def __init__(self) -> None:
        self.jobs = JobQueue(2)

    def Put(self, job: int) -> None:
        self.jobs.put(job)

    def Take(self, worker: str) -> None:
        self.jobs.take(worker)

    def Finish(self, worker: str) -> None:
        self.jobs.finish(worker)

    def state(self) -> dict[str, object]:
        holds = {worker: self.jobs.busy.get(worker, 0) for worker in ("ada", "bob")}
        return {"queue": list(self.jobs.waiting), "holds": holds}
