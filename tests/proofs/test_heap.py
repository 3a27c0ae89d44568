"""The heaps of the modules and of the code: every theorem, and changed texts that are refused."""

from __future__ import annotations

from itertools import permutations, product

import pytest
import z3

from proofs.heap import (
    code,
    conditions,
    counting,
    delay_queue,
    parted,
    queues,
    sequences,
    timer,
    turns,
    values,
)
from proofs.heap.planted import ELEMENTS, Specified
from proofs.heap.planted_code import Text
from proofs.heap.reading import Reading
from proofs.heap.submitted import operators
from tests.nights import first, only
from wheelproof.prove import evidence, variants
from wheelproof.prove.kernel import ProofError, Theory
from wheelproof.tla.syntax import OutsideSubset

THEORIES = (counting, code, delay_queue, timer, parted)
THEORY_OF = {name: module.THEORY for module in THEORIES for name in module.THEORY.theorems}
TEXT = code.HEAP.load()
OF = {"system_timer": timer.HEAP, "delay_queue": delay_queue.HEAP, "code": code.HEAP}
SOURCES = {
    "system_timer": Specified("system_timer"),
    "delay_queue": Specified("delay_queue"),
    "code": Text(code.text),
}


def specified(mechanism: str, *changes: tuple[str, str]):
    return variants.specification(mechanism, changes).module


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", only(THEORY_OF, "Heap.First", "Heap.Up", "HeapCode.take"))
def test_proved_by_both_solvers_with_every_control_refuted(name):
    theory = THEORY_OF[name]
    found = theory.check(name, seeds=1)
    assert (found.verdict, found.why) == ("proved", "")
    assert found.second == {"unsat"} and found.unused == ()
    assert set(found.witnesses) == {control.name for control in theory.theorems[name].controls}
    assert set(found.links) == set(theory.theorems[name].rests_on)


# -- changed texts


BEFORE_THE_FIRST = ("Up(s, i, k) == IF i = 1 THEN s", "Up(s, i, k) == IF i = 1 THEN Up(s, 0, k)")
CHANGED = [
    ("system_timer", "Up", "order", "Up(Swap(s, i, p), p, k)", "Up(Swap(s, i, p), 1, k)"),
    ("system_timer", "Up", "order", "Up(Swap(s, i, p), p, k)", "Up(s, i, k)"),
    ("system_timer", "Down", "order", "Down(Swap(s, i, c), c, k)", "Down(s, i, k)"),
    ("code", "Up", "order", "            index = above\n", ""),
    ("code", "Down", "elements", "            index = below\n", ""),
    ("system_timer", "Up", "order", *BEFORE_THE_FIRST),
    ("system_timer", "Up", "elements", *BEFORE_THE_FIRST),
    ("system_timer", "Offer", "elements", "Len(s) + 1, k)", "Len(s) + 2, k)"),
    ("system_timer", "Poll", "places", "ELSE s[i]], 1, k)", "ELSE s[i + 2]], 1, k)"),
    ("system_timer", "Up", "order", "k[s[i]] >= k[s[p]]", "k[s[i]] > k[s[p]] - 2"),
    ("system_timer", "Up", "places", "i \\div 2", "i \\div 3"),
    ("system_timer", "Up", "elements", "![i] = s[j], ![j] = s[i]]", "![i] = s[j]]"),
    ("system_timer", "Up", "places", "![j] = s[i]]", "![Len(s) + 1] = s[i]]"),
    ("system_timer", "Down", "order", "Down(Swap(s, i, c), c, k)", "Down(Swap(s, i, c), i, k)"),
    ("system_timer", "Down", "places", "2 * i > Len(s)", "2 * i > Len(s) + 1"),
    ("system_timer", "Down", "places", "IF 2 * i + 1 <= Len(s) /\\ k", "IF k"),
    ("system_timer", "Down", "order", "2 * i > Len(s)", "2 * i >= Len(s)"),
    ("system_timer", "Offer", "elements", "Up(Append(s, b), Len(s)", "Up(Append(s, s[1]), Len(s)"),
    ("system_timer", "Offer", "order", "Up(Append(s, b), Len(s) + 1, k)", "Append(s, b)"),
    ("system_timer", "Poll", "elements", "1..(Len(s) - 1) |->", "1..(Len(s) - 2) |->"),
    ("system_timer", "Poll", "elements", "IF Len(s) = 1 THEN <<>>", "IF Len(s) < 3 THEN <<>>"),
    ("delay_queue", "Up", "order", "s[i] >= s[i \\div 2]", "s[i] >= s[i \\div 2] - 1"),
    ("delay_queue", "Down", "order", "s[i] <= s[c]", "s[i] <= s[2 * i]"),
    ("delay_queue", "With", "order", "Len(s) + 1)", "1)"),
    ("delay_queue", "Rest", "places", "SubSeq(s, 2, Len(s) - 1)", "SubSeq(s, 2, Len(s) + 1)"),
    ("delay_queue", "Rest", "elements", "<<s[Len(s)]>> \\o", "<<s[1]>> \\o"),
    (
        "system_timer",
        "Offer",
        "elements",
        "Up(Append(s, b), Len(s)",
        "Up(Append(IF Len(s) = 0 THEN s ELSE [s EXCEPT ![1] = b], b), Len(s)",
    ),
    ("code", "Up", "order", "(heap[above]) >= 0", "(heap[above]) >= -1"),
    ("code", "Up", "elements", "            heap[index] = heap[above]\n", ""),
    ("code", "Up", "order", "index = above", "index = above - 1"),
    ("code", "Up", "places", "while index > 0", "while index >= 0"),
    ("code", "Down", "places", "if below + 1 < size and", "if"),
    ("code", "Down", "order", "(heap[below]) <= 0", "(heap[below]) <= 1"),
    ("code", "Down", "order", "2 * index + 1", "2 * index + 2"),
    ("code", "offer", "elements", "self._up(len(self.heap) - 1", "self._up(len(self.heap) - 2"),
    ("code", "_take", "first", "if delay > 0", "if delay > 1"),
    ("code", "_take", "first", "if delay > 0:", "if delay > 0:\n            heap.pop()"),
    ("code", "_take", "first", "heap[0]\n        last", "heap[len(heap) - 1]\n        last"),
    ("code", "_take", "order", "self._down(0, last)", "self._down(1, last)"),
]


FEW = 500_000
"""Units of Z3's resources: three times what a condition takes that holds."""


def failing(of: str, operator: str, load) -> list[str]:
    """The conditions of a theorem that are not proved of a text, and why."""
    heap = OF[of].__class__(**{**vars(OF[of]), "load": load})
    theory = Theory("changed", mechanism=of, after=(counting.THEORY,))
    operators(theory, heap, of, [], None)
    found = evidence.check(theory.theorems[heap.title(operator)], 1, None, FEW)
    return [why for _, why in found.faults]


@pytest.mark.daily(6)
@pytest.mark.parametrize(
    ("of", "operator", "condition", "old", "new"),
    only(CHANGED, *(CHANGED[number] for number in (1, 3, 9, 16, 19, 31))),
)
def test_a_changed_text_breaks_the_condition_of_its_operator(of, operator, condition, old, new):
    broken = failing(of, operator, SOURCES[of].changed(old, new))
    assert any(f"{condition}: " in each for each in broken), broken


@pytest.mark.daily(2)
@pytest.mark.parametrize("of", OF)
def test_no_condition_breaks_of_a_text_as_it_is(of):
    assert failing(of, OF[of].offer, OF[of].load) == []


# -- statements on numbers


SHORT = [list(each) for length in range(6) for each in permutations(range(1, length + 1))]


@pytest.mark.parametrize("of", OF)
def test_offer_and_poll_do_what_the_theorems_say_of_short_lists(of):
    """All orders of up to five elements, whose keys are any of three at first, and others then."""
    heap = OF[of]
    offer, poll = (SOURCES[of].operator(each) for each in (heap.offer, heap.poll))

    def with_keys(keys):
        return [dict(enumerate(keys, 1))] if heap.keyed else []

    for keys in product(range(3), repeat=4):
        elements = list(range(1, 5)) if heap.keyed else list(keys)
        made = []
        for each in elements:
            made = list(offer(made, each, *with_keys(keys)))
        of_keys = [keys[each - 1] for each in made] if heap.keyed else made
        assert values.is_heap(of_keys) and of_keys[0] == min(of_keys)
        left = list(poll(made, *with_keys(keys)))
        assert values.is_heap([keys[each - 1] for each in left] if heap.keyed else left)
        assert not values.differs(left, made[1:])
    for elements in SHORT:
        more = with_keys([each % 3 for each in range(len(elements) + 1)])
        new = len(elements) + 1
        assert not values.differs(offer(elements, new, *more), [*elements, new])
        if elements:
            assert not values.differs(poll(elements, *more), elements[1:])


def named(elements):
    """A sequence of numbers that are their own keys."""
    at = z3.Function("named", z3.IntSort(), z3.IntSort())
    s = sequences.Sequence(z3.IntVal(len(elements)), at, z3.IntVal(0))
    pairs = [(at(z3.IntVal(place)), z3.IntVal(each)) for place, each in enumerate(elements, 1)]
    return s, pairs


def holds(formula, pairs) -> bool:
    return z3.is_true(z3.simplify(z3.substitute(formula, *pairs)))


def test_a_heap_is_to_terms_what_it_is_to_python():
    own = lambda element: element  # noqa: E731
    seen = set()
    for elements in product(range(3), repeat=5):
        s, pairs = named(elements)
        expected = values.is_heap(elements)
        assert holds(sequences.is_heap(s, own, 5), pairs) == expected
        seen.add(expected)
    for elements in product(range(2), repeat=5):
        s, pairs = named(elements)
        for place in range(1, 6):
            for but, lifts in ((sequences.rises, True), (sequences.sinks, False)):
                formula = but(s, own, z3.IntVal(place), 5)
                expected = values.is_heap_but(elements, place, lifts)
                assert holds(formula, pairs) == expected, (elements, place, lifts)
                seen.add((lifts, expected))
    assert seen == {True, False, *product((True, False), repeat=2)}


@pytest.mark.parametrize("but", ["is_heap", "rises", "sinks", "first_is_least"])
def test_a_bounded_claim_is_the_claim_of_a_bounded_sequence(but):
    """What a control is about, and what a theorem is about, are the same of a short sequence."""
    claim = getattr(sequences, but)
    more = (conditions.PLACE,) if but in ("rises", "sinks") else ()
    few, every = (claim(conditions.S, conditions.KEY, *more, size) for size in (4, None))
    solver = z3.Solver()
    solver.add(0 <= conditions.S.length, conditions.S.length <= 4, few != every)
    assert solver.check() == z3.unsat


# -- what is refused


UNREAD = [
    ("![i] = s[j], ![j] = s[i]]", "![i] = s[j], ![j] = @]", "At in an operator of the heap"),
    ("1..(Len(s) - 1) |->", "2..(Len(s) - 1) |->", "a function whose domain is not 1..n"),
    ("i \\div 2", "i \\div i", "div in an operator of the heap"),
]


@pytest.mark.parametrize(("old", "new", "says"), first(UNREAD))
def test_what_the_reading_does_not_know_is_refused(old, new, says):
    reading = Reading(specified("system_timer", (old, new)))
    keys = conditions.Keys(conditions.KEY)
    with pytest.raises(OutsideSubset, match=says):
        reading.unfolded("Poll", conditions.S, keys)
        reading.unfolded("Up", conditions.S, conditions.PLACE, keys)


CALLS = [
    ("Down(Swap(s, i, c), c, k)", "Up(Swap(s, i, c), c, k)", "Down calls Up"),
    ("Down(Swap(s, i, c), c, k)", "Down(Swap(s, i, c), c, s)", "is called with other keys"),
]


@pytest.mark.parametrize(("old", "new", "says"), first(CALLS))
def test_a_call_that_the_induction_is_not_about_is_refused(old, new, says):
    heap = conditions.Heap(lambda: specified("system_timer", (old, new)), "Heap")
    with pytest.raises(ProofError, match=says):
        heap.loop("Down")


def changed_queue(old, new):
    """The queue of module SystemTimer with one text changed."""
    return queues.Queue(conditions.Heap(lambda: specified("system_timer", (old, new)), "Heap"))


STEPS = [
    ("queue' = Offer(queue, polled[self], key)", "queue' = Append(queue, polled[self])", "no oper"),
    ("queue' = Offer(queue, polled[self], key)", "queue' = Offer(queue, polled[self], <<>>)", "no"),
    ("/\\ queue' = Offer(queue, bucket[self], key)", "/\\ queue' \\in {queue}", "otherwise"),
    ("key' = [key EXCEPT ![polled[self]] = -1]", "key' = [b \\in Buckets |-> -1]", "at more than"),
    ("key' = [key EXCEPT ![polled[self]] = -1]", "key' = [content EXCEPT ![1] = 0]", "at more"),
]


@pytest.mark.parametrize(("old", "new", "says"), first(STEPS))
def test_a_step_that_does_something_else_to_the_queue_is_refused(old, new, says):
    queue = changed_queue(old, new)
    with pytest.raises(ProofError, match=says):
        queue.operator("Offer")


def test_an_operator_that_no_step_uses_is_refused():
    with pytest.raises(ProofError, match="no step gives the queue what Up makes"):
        timer.QUEUE.operator("Up")


@pytest.mark.nightly
def test_a_step_that_changes_the_queue_and_a_key_is_refused():
    old = "/\\ key' = [key EXCEPT ![polled[self]] = -1]"
    new = f"{old} /\\ queue' = Poll(queue, key)"
    queue = changed_queue(old, new)
    with pytest.raises(ProofError, match="V2 gives queue and key another value in one step"):
        queue.key()


@pytest.mark.nightly
def test_a_queue_that_begins_with_buckets_is_no_heap_for_certain():
    old, new = "/\\ queue = <<>>", "/\\ queue = <<1, 2>>"
    start = changed_queue(old, new).start()
    solver = z3.Solver()
    solver.add(*start.premises.values(), z3.Not(start.goal))
    assert solver.check() == z3.sat


def test_the_keys_change_where_the_ghost_of_the_guards_does():
    """The ghost that says so is set by the steps that give a key, and by no other (A-HEAP)."""
    steps, system = timer.QUEUE.steps(), timer.system()()
    s, t = system.symbols(), z3.Const("t", timer.system().WORDS.threads.z3)
    changing = {name for name in system.actions() if "changed" in system.ghosts(name, s, t)}
    assert {name.partition("_to_")[0] for name in changing} == set(steps.labels("key"))
    polls = {name for name in system.actions() if system.way(name).firsts.get("first_queue")}
    assert {name.partition("_to_")[0] for name in polls} >= set(steps.labels("Poll"))
    assert set(system.WORDS.unordered) == set(steps.operators)


TURNS = [
    (
        "            index = above\n",
        "            index = above\n            continue\n",
        "`continue`",
    ),
    ("        while index > 0:", "        for index in ():", "another loop"),
    (
        "            index = above\n",
        "            index = above\n            heap = []\n",
        "changes heap",
    ),
    ("    def _up(", "    def up(", "has 0 methods _up"),
]


@pytest.mark.parametrize(("old", "new", "says"), TURNS)
def test_a_loop_of_which_a_turn_is_not_taken_is_refused(old, new, says):
    assert TEXT.count(old) == 1
    with pytest.raises(ProofError, match=says):
        turns.method(TEXT.replace(old, new), "_up")


def test_a_list_that_changes_behind_a_call_is_refused():
    old = "            self._down(0, last)\n"
    load = SOURCES["code"].changed(old, f"{old}            heap.pop()\n")
    heap = code.Code(load, "changed", offer="offer", poll="_take")
    with pytest.raises(ProofError, match="changes the list behind a call of Down"):
        heap.polls()


def test_a_counterexample_that_python_does_not_confirm_is_none():
    """The fault makes no difference to the sequence, or it is not one that may occur."""
    fault = next(each for each in timer.FAULTS if each.name == "a copy")
    control = fault.control(timer.HEAP, Harmless("system_timer"))
    assert "it makes what it should" in control.find(0).contradiction
    assert fault.breaks == ELEMENTS


class Harmless(Specified):
    """Its conditions have the fault, and its operator has not."""

    def operator(self, name, old="", new=""):
        return super().operator(name)


def test_a_counterexample_from_what_is_no_heap_but_for_one_place_is_none():
    fault = next(each for each in timer.FAULTS if each.name == "stays below")
    solver, s = z3.Solver(), conditions.S
    solver.add(*counting.listed(s, 1, 2, 3), conditions.PLACE == 3)
    solver.add([conditions.KEY(z3.IntVal(each)) == -each for each in (1, 2, 3)])
    assert solver.check() == z3.sat
    says = fault.replay(timer.HEAP, SOURCES["system_timer"])(solver.model())
    assert "is not what Up may be called with" in says
