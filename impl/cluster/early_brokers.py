"""The brokers of a cluster, as a controller of Kafka up to 2.1 saw them: by their ids alone.

A broker that dies and comes back before the controller looks has the id that it had. So the
controller sees no change, and does not send it what it leads and follows (KAFKA-7235, fixed in
2.2.0 by the epoch of a broker).
"""

from __future__ import annotations

from impl.cluster.brokers import Brokers
from impl.cluster.context import Broker
from impl.cluster.requests import Giving


class EarlyBrokers(Brokers):
    """Keeps the epoch of a broker that is known, whatever the transaction that registered it."""

    def registered(self) -> Giving[dict[int, Broker]]:
        """The brokers that are registered. Those that were before are the same."""
        found = yield from super().registered()
        return {each: self.context.registered.get(each, found[each]) for each in found}
