"""How a scenario runs on impl/cell.py."""

from __future__ import annotations

from impl import cell as production

SUBJECT = ("impl.cell",)


class Harness:
    def __init__(self, scenario, impl=production) -> None:
        self.cell = impl.Cell()
        if scenario.get("item") is not None:
            self.cell.item, self.cell.full = scenario["item"], True
        self.names = {"cell": self.cell}

    def put(self, item) -> None:
        self.cell.put(item)

    def take(self) -> None:
        self.cell.take()

    def drain(self) -> None:
        self.cell.drain()

    def claim(self) -> bool:
        return self.cell.claim()

    def attempt(self) -> None:
        self.cell.attempt()


def shared(harness) -> dict[str, object]:
    cell = harness.cell

    def held(lock):
        return (lock.owner and lock.owner.name, lock.depth)

    return {
        "item": cell.item,
        "full": cell.full,
        "monitor": held(cell.monitor),
        "gate": held(cell.gate),
        "taken": cell.taken.value,
        "claimed": cell.claimed.value,
    }
