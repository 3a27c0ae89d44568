"""The steps of the code are counted, and the silent ones between them are not."""

import pytest

from wheelproof.counterexample.build import Diverged, follow
from wheelproof.counterexample.document import Step
from wheelproof.counterexample.numbering import addresses, count, numbers, statement, upto

QUIET = Step("a", "T0", "silent")
FIRST, SECOND = Step("a", "A1", "lock"), Step("b", "A2", "read")
STEPS = (QUIET, FIRST, QUIET, QUIET, SECOND, QUIET)


def test_silent_steps_have_no_number():
    assert numbers(STEPS) == [None, 1, None, None, 2, None]
    assert addresses(STEPS) == ["0.1", "1", "1.1", "1.2", "2", "2.1"]
    assert count(STEPS) == 2 and count(()) == 0
    assert [upto(STEPS, number) for number in (0, 1, 2)] == [0, 2, 5]
    with pytest.raises(ValueError):
        upto(STEPS, 3)


def test_a_step_in_words():
    assert statement(STEPS, 1) == "Step 1, a.A1"
    assert statement(STEPS, 3) == "The silent step a.T0 after step 1"


class Chain:
    """One thread: T0, A1, T0, A2, each once."""

    threads = ("a",)
    order = ("T0", "A1", "T0", "A2")

    def initial(self):
        return 0

    def successors(self, state):
        return [(0, self.order[state], state + 1)] if state < len(self.order) else []


def test_a_schedule_that_cannot_be_followed_names_the_step_by_its_number():
    silent = frozenset({"T0"})
    assert [label for _, label, _ in follow(Chain(), [(0, "A1"), (0, "A2")], silent)] == [
        "T0",
        "A1",
        "T0",
        "A2",
    ]
    with pytest.raises(Diverged, match=r"^Step 2: a cannot take A9"):
        follow(Chain(), [(0, "A1"), (0, "A9")], silent)
    with pytest.raises(Diverged, match=r"^Step 2: a cannot take A2 .* \(able: a at T0\)"):
        follow(Chain(), [(0, "T0"), (0, "A1"), (0, "A2")], silent, exact=True)
