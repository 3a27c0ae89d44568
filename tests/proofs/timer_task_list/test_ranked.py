"""P16: the rank of threads on lists, its faults, and the four numbers that it is on finite runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
import z3

from proofs.timer_task_list.ranked import PLANTED, THEORY
from proofs.timer_task_list.ranking import LOWERS, PARTS, Elsewhere
from proofs.timer_task_list.state import ENTRY, THREAD
from proofs.timer_task_list.system import TimerTaskList
from proofs.timer_task_list.view import View
from tests.nights import only
from tests.proofs.checks import compared, graph_of, mechanism
from wheelproof.prove.ts.concrete import State

NAME = "timer_task_list"
BY_NAME = {each.name: each for each in PLANTED}
RUNS = ("two_adders", "flush_cancel", "moved_on", "two_entries_crossed", "expire_readd")


@pytest.mark.nightly
@pytest.mark.parametrize("name", THEORY.theorems)
def test_a_theorem_is_proved_with_its_controls(name):
    evidence = THEORY.check(name, seeds=1)
    assert evidence.verdict == "proved", evidence.why
    assert evidence.second == {"unsat"} and not evidence.unused
    assert set(evidence.links) == set(THEORY.theorems[name].rests_on)
    assert set(evidence.witnesses) == {each.name for each in THEORY.theorems[name].controls}


def test_the_rank_is_of_every_action_that_begins_nothing():
    assert list(THEORY.theorems) == ["Inv.Elsewhere", "P16.Rank", "P16"]
    names = {vc.name for vc in THEORY.theorems["P16.Rank"].vcs}
    assert names == {f"rank {n}" for n, taken in Elsewhere.actions().items() if not taken.begins}
    assert len(names) == 49
    assert set(LOWERS) <= set(Elsewhere.actions()) and set(LOWERS.values()) < set(PARTS)


# -- faults


@pytest.mark.parametrize("name", only(BY_NAME, "retries for nothing"))
def test_a_fault_breaks_the_condition_that_it_names(name):
    planted = BY_NAME[name]
    found = planted.find(0)
    assert found.verdict == "sat" and not found.contradiction, found
    assert found.witness.startswith(f"{planted.breaks}: ")


@pytest.mark.nightly
@pytest.mark.parametrize("name", BY_NAME)
def test_the_right_lists_break_no_condition_in_the_same_runs(name):
    planted = replace(BY_NAME[name], system=Elsewhere)
    assert planted.find(0).verdict == "unsat"


@pytest.mark.nightly
def test_a_fault_that_breaks_another_condition_is_no_control():
    planted = replace(BY_NAME["retries for nothing"], breaks="rank is_its_list")
    assert planted.find(0).contradiction == "rank is_its_list was to break"


# -- the four numbers


class Numbers:
    """The rank of a state of a scenario, as four numbers."""

    def __init__(self, view: View) -> None:
        self.instance = view.instance
        of, s = Elsewhere(), view.instance.system.symbols()
        t, e = z3.Const("t!", THREAD.z3), z3.Const("e!", ENTRY.z3)
        self.parts = {
            "waiting": (("t",), of.waiting(s, t)),
            "hands": (("t", "e"), of.hands(s, t, e)),
            "named": (("e",), of.named(s, e)),
            "stage": (("t",), of.stage(s, t)),
        }
        self.made = {
            part: (names, self.instance.function(view.instance.compiled.code(term, names)))
            for part, (names, term) in self.parts.items()
        }
        threads = range(len(self.instance.elements["Thread"]))
        self.places = {"t": threads, "e": range(len(self.instance.elements["Entry"]))}

    def of(self, state: State) -> tuple[int, ...]:
        return tuple(
            sum(int(value(state, *places)) for places in product(*map(self.places.get, names)))
            for names, value in (self.made[part] for part in PARTS)
        )


def ascents(scenario: str, view: type = Elsewhere) -> tuple[list[str], int]:
    """The labels of the edges that begin nothing and do not lower the numbers; all such edges."""
    graph = graph_of(NAME, scenario)
    seen = View(graph.model, view)
    numbers = Numbers(seen)
    ranks = [numbers.of(seen.state(state)) for state in graph.states]
    found, edges = [], 0
    for source, out in enumerate(graph.edges):
        for _, label, target in out:
            if label != "T0":
                edges += 1
                if not ranks[target] < ranks[source]:
                    found.append(label)
    return found, edges


@pytest.mark.parametrize("scenario", only(RUNS, "two_adders"))
def test_the_numbers_fall_on_every_edge_that_begins_nothing(scenario):
    found, edges = ascents(scenario)
    assert not found and edges > 100


def test_the_numbers_rise_where_a_flush_has_its_own_list_as_its_destination():
    """Config `flush_into_itself`, whose Termination is violated."""
    config = mechanism(NAME).configs["flush_into_itself"]
    assert (config.expect, config.property) == ("violated", "Termination")
    found, _ = ascents("flush_into_itself", TimerTaskList)
    assert "A7" in found


def test_every_scenario_but_that_one_flushes_elsewhere():
    """A-ELSEWHERE."""

    def into_itself(threads):
        steps = [step for program in threads.values() for step in program]
        return any(step[0] == "flush" and step[1] == step[2] for step in steps)

    of = mechanism(NAME).scenarios
    assert {name for name, each in of.items() if into_itself(each["threads"])} == {
        "flush_into_itself"
    }


@pytest.mark.nightly
@pytest.mark.parametrize("scenario", ["flush_cancel", "moved_on", "opposite_flushes"])
def test_the_module_is_the_system_whose_rank_falls(scenario):
    found = compared(NAME, lambda model: [View(model, Elsewhere)], scenario)
    assert not found.wrong and not found.broken
    assert "Elsewhere" in found.compared
