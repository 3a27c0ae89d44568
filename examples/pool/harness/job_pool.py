"""How a scenario runs on impl/job_pool.py."""

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
