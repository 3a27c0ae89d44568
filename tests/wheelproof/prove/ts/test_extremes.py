"""Places that a step determines: what its guards say of them, and what is computed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import z3

from wheelproof.prove.ts.concrete import Compiled
from wheelproof.prove.ts.extremes import PLACE, Determined, extreme
from wheelproof.prove.ts.system import WHOLE, Step, System, action, array, sort

WRITER, BOX = sort("Writer"), sort("Box", null="no_box")
HAS = z3.Const("has", array(WHOLE, z3.BoolSort()))
INTO = z3.Const("into", array(WHOLE, BOX))
EVERY = z3.Const("every_box", BOX.z3)
LAST, FIRST = (extreme(HAS[PLACE], is_last) for is_last in (True, False))
LAST_OF_EACH = extreme(z3.And(HAS[PLACE], INTO[PLACE] == EVERY), True, EVERY)


class Ends(System):
    """A step that takes the first place and the last one out, and writes down those of boxes."""

    SORTS = (WRITER, BOX, WHOLE)
    VARIABLES = {
        "has": HAS.sort(),
        "into": INTO.sort(),
        "seen": z3.IntSort(),
        "of_each": array(BOX, WHOLE),
    }

    @action(t=WRITER, first=FIRST, last=LAST, of_each=LAST_OF_EACH)
    def take(self, s: SimpleNamespace, t, first, last, of_each) -> Step:
        guards = [*FIRST.guards(first), *LAST.guards(last), *LAST_OF_EACH.guards(of_each)]
        taken = z3.Store(z3.Store(s.has, first, False), last, False)
        return Step((*guards,), {"has": taken, "seen": last - first, "of_each": of_each})

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return []


@pytest.fixture(scope="module")
def ends():
    elements = {"Writer": ("w",), "Box": ("a", "b"), "Int": range(6)}
    return Determined(Compiled(Ends()), elements, {}, range(6))


def after(ends, into: dict[int, str]) -> dict[str, object]:
    """The state after the step, from one with stores into these boxes."""
    has = dict.fromkeys(into, True)
    state = ends.state({"has": has, "into": into, "seen": 0, "of_each": {}})
    (move,) = ends.moves(state)
    names = tuple(Ends.VARIABLES)
    return dict(zip(names, move.after, strict=True))


def test_a_step_is_taken_once_with_the_places_that_its_guards_describe(ends):
    found = after(ends, {2: "a", 3: "b", 5: "a"})
    assert found["has"] == (False, False, False, True, False, False)
    assert found["seen"] == 3
    assert found["of_each"] == (5, 3, 0)


def test_where_there_is_none_each_is_0(ends):
    found = after(ends, {})
    assert (found["seen"], found["of_each"]) == (0, (0, 0, 0))


@pytest.mark.parametrize("wrong", [0, 2, 4])
def test_guards_hold_of_the_last_place_alone(wrong):
    """Control: 0, a place before the last one, and a place that is none are refused."""
    has = z3.Store(z3.Store(z3.K(z3.IntSort(), False), 2, True), 3, True)
    made = z3.Int("made")
    solver = z3.Solver()
    solver.add(has == HAS, *LAST.guards(made))
    assert solver.check(made == 3) == z3.sat
    assert solver.check(made == wrong) == z3.unsat
