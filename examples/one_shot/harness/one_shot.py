"""How a scenario runs on impl/one_shot.py, and which model state its objects are in."""

from impl import one_shot

SUBJECT = ("impl.one_shot",)  # the modules whose steps are the mechanism's


class Harness:
    """One scenario's objects; one method per operation of a thread program."""

    def __init__(self, scenario, impl=one_shot):
        self.shot = impl.OneShot()
        self.names = {"shot": self.shot}  # roots; what hangs on them is named by its path

    def run(self):
        self.shot.run()


def shared(harness):
    """The model's shared variables, each as a tuple of its values."""
    # a production lock has no owner: there it is read at rest only
    owner = getattr(harness.shot.lock, "owner", None)
    return {
        "done": (harness.shot.done,),
        "runs": (harness.shot.runs,),
        "owner": (owner and owner.name,),
    }
