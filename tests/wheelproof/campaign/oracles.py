"""Oracles of sorting with a heap, as small projects of their own have them."""

import heapq
import os
import random
import subprocess
import time
from contextlib import contextmanager

import pytest

from wheelproof.campaign.kinds.programs import Judgement


def heap_sorted(numbers):
    heap = list(numbers)
    heapq.heapify(heap)
    return [heapq.heappop(heap) for _ in numbers]


@contextmanager
def heap_that_keeps_its_order():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(heapq, "heapify", lambda heap: None)
        yield


class Sorting:
    """The standard library's heap beside its sort."""

    faults = {"a heap keeps its order": heap_that_keeps_its_order}

    def draw(self, seed):
        draw = random.Random(seed)
        return [draw.randrange(9) for _ in range(draw.randrange(2, 9))]

    def sorted(self, numbers):
        return heap_sorted(numbers)

    def judge(self, program):
        result = self.sorted(program)
        figures = {"numbers": len(program)}
        if result != sorted(program):
            return Judgement("violated", "order", f"{program} gives {result}", figures)
        return Judgement("exhaustive", figures=figures)

    def smaller(self, program):
        for at in range(len(program)):
            yield program[:at] + program[at + 1 :]

    def text(self, program):
        return f"sorted({program})"


class Losing(Sorting):
    """Loses a number that is there twice."""

    def sorted(self, numbers):
        return heap_sorted(dict.fromkeys(numbers))


class Blind(Sorting):
    """Judges nothing: the control must notice."""

    def judge(self, program):
        return Judgement("exhaustive")


class Unsure(Sorting):
    """Has a budget that does not do for some programs."""

    def judge(self, program):
        if len(program) > 5:
            return Judgement("inconclusive", why="a program of more than 5 numbers")
        return super().judge(program)


class Breaking(Sorting):
    """Ends its process, loops or raises, by the seed."""

    def draw(self, seed):
        if seed == 2:
            os._exit(7)
        if seed == 4:
            time.sleep(3_600)
        if seed == 5:
            raise ZeroDivisionError("a defect of the oracle")
        return super().draw(seed)


class Fragile(Sorting):
    """Is killed once, as by a lack of memory, and runs the second time."""

    def draw(self, seed):
        if seed == 3 and (mark := os.environ.get("FRAGILE")) and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), 9)
        return super().draw(seed)


class Slow(Sorting):
    """Takes a moment for each program, so that there is time to kill what runs it."""

    def judge(self, program):
        time.sleep(float(os.environ.get("SLOW", "0.3")))
        return super().judge(program)


class Starting(Sorting):
    """Waits for a process of its own, and ends that on its way out."""

    def draw(self, seed):
        process = subprocess.Popen(["sleep", "3600"], start_new_session=True)
        with open(os.environ["STARTED"], "w") as stream:
            stream.write(str(process.pid))
        try:
            process.wait()
        finally:
            process.kill()
            process.wait()
