"""How a scenario runs on impl/one_shot.py, and which model state its objects are in."""
from impl import one_shot

SUBJECT = ("impl.one_shot",)  # the modules whose steps are the mechanism's


class World:
    """One scenario's objects; one method per operation of a thread program."""

    def __init__(self, scenario, impl=one_shot):
        self.shot = impl.OneShot()
        self.names = {"shot": self.shot}  # roots; what hangs on them is named by its path

    def run(self):
        self.shot.run()


def shared(world):
    """The model's shared variables, each as a tuple of its values."""
    owner = getattr(world.shot.lock, "owner", None)  # a production lock does not tell: it is read at rest only
    return {"done": (world.shot.done,), "runs": (world.shot.runs,), "owner": (owner and owner.name,)}
