"""How a scenario runs on impl/connection_pool.py, and which model state its objects are in."""

from impl import connection_pool

SUBJECT = ("impl.connection_pool",)


class Harness:
    def __init__(self, scenario, impl=connection_pool):
        self.pool = impl.Pool(scenario["connections"])
        self.names = {"pool": self.pool}

    def use(self):
        connection = self.pool.borrow()
        if connection is not None:
            self.pool.give_back(connection)
        return connection

    def close(self, connection):
        self.pool.close(connection)


def shared(harness):
    """The model's shared variables. A production lock has no owner."""
    owner = getattr(harness.pool.lock, "owner", None)
    return {
        "free": (harness.pool.free,),
        "closed": (harness.pool.closed,),
        "owner": (owner and owner.name,),
    }
