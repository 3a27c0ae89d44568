"""How a scenario runs on impl/job_pool.py, and which model state its objects are in."""

from impl import job_pool

SUBJECT = ("impl.job_pool",)


class Harness:
    def __init__(self, scenario, impl=job_pool):
        self.subject = impl.Pool()
        self.names = {"subject": self.subject}
        self.impl = impl

    def submit(self, job):
        try:
            return self.subject.submit(job)
        except self.impl.Closed as error:
            return type(error).__name__

    def work(self):
        return self.subject.work()

    def shutdown(self):
        return self.subject.shutdown()

    def pending(self):
        return self.subject.pending()


def shared(harness):
    """The specification's variables. Production primitives show none of theirs."""
    subject = harness.subject
    owner = getattr(subject._lock, "owner", None)
    return {
        "jobs": tuple(subject._jobs),
        "closed": (subject._closed,),
        "running": (subject._running,),
        "done": tuple(subject._done),
        "owner": (owner and owner.name,),
        "asleep": (names(getattr(subject._changed, "asleep", ())),),
        "tickets": tuple(map(names, getattr(subject._changed, "tickets", ()))),
    }


def names(threads):
    return frozenset(thread.name for thread in threads)
