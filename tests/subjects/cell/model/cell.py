"""The model of impl/cell.py. State: (shared, threads); a thread is (position in its program, label,
argument, label to return to)."""

from __future__ import annotations

VARIABLES = ("item", "full", "monitor", "gate", "taken", "claimed")
FREE = (None, 0)
FIRST = {"put": "P1", "take": "T1", "drain": "D1", "claim": "C1", "attempt": "G1"}


class Model:
    def __init__(self, scenario) -> None:
        self.programs = scenario["threads"]
        self.threads = tuple(self.programs)
        item = scenario.get("item")
        self.start = (
            (item, item is not None, FREE, FREE, 0, False),
            tuple(self.next(i, 0) for i in range(len(self.threads))),
        )

    def next(self, i, position):
        program = self.programs[self.threads[i]]
        if position == len(program):
            return (position, "Done", None, None)
        operation, *arguments = program[position]
        return (position + 1, FIRST[operation], arguments[0] if arguments else None, None)

    def outcomes(self, i, before, after):
        """The result of the operation that a thread's step has ended: one or none."""
        position, label, *_ = after[1][i]
        if label != "Done" and position == before[1][i][0]:
            return ()
        operation, *_ = self.programs[self.threads[i]][before[1][i][0] - 1]
        return (not before[0][VARIABLES.index("claimed")],) if operation == "claim" else (None,)

    def initial(self):
        return self.start

    def successors(self, state):
        shared, threads = state
        for i, thread in enumerate(threads):
            if thread[1] != "Done":
                v = dict(zip(VARIABLES, shared))
                after = self.step(v, i, *thread)
                if after is not None:
                    yield (
                        i,
                        thread[1],
                        (tuple(v.values()), (*threads[:i], after, *threads[i + 1 :])),
                    )

    def step(self, v, i, position, label, argument, back):
        me = self.threads[i]

        def at(label, back=back):
            return (position, label, argument, back)

        if label in ("P1", "T1"):
            if v["monitor"][0] is not None:
                return None
            v["monitor"] = (me, 1)
            return at(label[0] + "2")
        if label == "P2":
            return at("P5" if v["full"] else "P3")
        if label == "P3":
            v["item"] = argument
            return at("P4")
        if label == "P4":
            v["full"] = True
            return at("P5")
        if label in ("P5", "T6"):
            v["monitor"] = FREE
            return at(back, None) if back else self.next(i, position)
        if label == "T2":
            return at("T3" if v["full"] else "T6")
        if label == "T3":
            v["item"] = None
            return at("T4")
        if label == "T4":
            v["full"] = False
            return at("T5")
        if label == "T5":
            v["taken"] += 1
            return at("T6")
        if label == "D1":
            if not v["full"]:
                return self.next(i, position)
            return at("T1", "D1")
        if label == "C1":
            v["claimed"] = True
            return self.next(i, position)
        if label == "G1":
            if v["gate"][0] is not None:
                return self.next(i, position)
            v["gate"] = (me, 1)
            return at("T1", "G2")
        if label == "G2":
            v["gate"] = FREE
            return self.next(i, position)
        raise AssertionError(label)
