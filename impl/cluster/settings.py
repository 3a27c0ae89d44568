"""What an administrator sets for the controller. The defaults are Kafka's."""

from __future__ import annotations

from typing import NamedTuple


class Settings(NamedTuple):
    """``unclean``: ``unclean.leader.election.enable``; ``rebalance``:
    ``auto.leader.rebalance.enable``; ``imbalance_percent``:
    ``leader.imbalance.per.broker.percentage``; ``check_ms``:
    ``leader.imbalance.check.interval.seconds``. ``first_check_ms`` is fixed in Kafka.
    """

    unclean: bool = False
    rebalance: bool = True
    imbalance_percent: int = 10
    first_check_ms: int = 5_000
    check_ms: int = 300_000
