"""The wheel's arithmetic: every theorem by both solvers, each statement run as Python."""

import itertools
import re
from dataclasses import replace
from types import MappingProxyType, SimpleNamespace

import pytest

from impl import timing_wheel
from impl.timing_wheel import Bucket
from proofs.arith import base, bounds, clock, code, levels, order, queue_code, slots, timer_code
from tests.model.timing_wheel import ARTEFACTS, ROOT
from tests.nights import by_night
from wheelproof import isolated
from wheelproof.prove.kernel import Theory

THEORIES = (base, clock, slots, levels, bounds, order, code, queue_code, timer_code)
NAMES = [(module.THEORY, name) for module in THEORIES for name in module.THEORY.theorems]
CATALOGUE = {
    "T1",
    "T2",
    "T3",
    "T4",
    "T5",
    "T6",
    "T7",
    "T8",
    "T9",
    "T10",
    "T11",
    "T12",
    "T13",
    "T14",
    "T15",
    "T16",
    "T17",
    "code",
}

# Premises that no step needs, and why they are kept.
IDLE = {
    "T1": {"tick"},  # without a tick above 0 there is no quotient
    "T16": {
        "size",
        "passed over",
        "one slot",
    },  # they are what makes T16 about D1; the bound holds of all that comes down
    "T17-advance": {"size", "key"},  # those of a queued bucket, as in T17-insert
    # the code divides by the tick and by the size, whatever comes of it
    "code-bucket_index": {"tick", "size"},
    "code-trim": {"tick"},
    "code-advance_clock": {"tick"},
    "code-add": {"size from 2"},
}


def test_the_catalogue_is_whole():
    assert {
        name.partition("-")[0] for theory, name in NAMES if not theory.theorems[name].is_lemma
    } == CATALOGUE


@pytest.mark.nightly
@pytest.mark.parametrize(("theory", "name"), NAMES, ids=[name for _, name in NAMES])
def test_proved_by_both_solvers_with_every_control_refuted(theory: Theory, name: str):
    """With one seed: by day `make verify` proves each with more."""
    found = theory.check(name, seeds=1)
    assert (found.verdict, found.why) == ("proved", "")
    assert found.second == {"unsat"}
    assert set(found.witnesses) == {control.name for control in theory.theorems[name].controls}
    assert set(found.unused) == IDLE.get(name, set())
    assert set(found.models) == {vc.name for vc in theory.theorems[name].vcs}


@pytest.mark.nightly
@pytest.mark.parametrize(
    "theory", [module.THEORY for module in THEORIES], ids=lambda theory: theory.name
)
def test_no_seed_of_twenty_comes_near_the_cap(theory: Theory):
    for name in theory.theorems:
        found = theory.check(name, seeds=20)
        assert found.verdict == "proved" and found.resources < 100_000, (
            f"{name}: {found.why or found.resources}"
        )


# -- the statements as Python: what the theorems are about is what a program computes

RANGES = {
    "w": range(1, 5),
    "t": range(1, 5),
    "s": range(1, 3),
    "b": range(1, 6),
    "k": range(4),
    "moved": range(2),
    "c": range(9),
    "c0": range(9),
    "turn": (20**14,),
}
DEFAULT = range(-3, 13)


def cases(statement, others=MappingProxyType({})):
    """Some thousands of values of the statement's variables.

    ``others``: ranges in place of RANGES.
    """
    ranges = [others.get(name) or RANGES.get(name, DEFAULT) for name in statement.variables]
    size = 1
    for each in ranges:
        size *= len(each)
    step = max(1, size // 20_000)
    # the step shares no factor with the ranges' sizes, so that every value of every variable is met
    while any(step % prime == 0 for prime in (2, 3, 5, 7)) and step > 1:
        step += 1
    return itertools.islice(itertools.product(*ranges), 0, None, step)


@pytest.mark.parametrize(("theory", "name"), NAMES, ids=[name for _, name in NAMES])
def test_no_small_numbers_refute_the_statement_in_python(theory: Theory, name: str):
    statement, met = theory.own[name], 0
    for values in cases(statement):
        values = dict(zip(statement.variables, values))
        reason = statement.refuted_by(values)
        assert reason, f"{name} is refuted by {values}"
        met += reason == "the claim holds in Python"
    assert met > 0, f"no numbers meet the premises of {name}"


# Premises without which no small numbers refute the statement, and why they are there.
NOT_SHOWN_NEEDED = {
    # a premise divides by it: without it there are no numbers to try
    "same_residue": {"w above 0"},
    "quotient_unique": {"b above 0"},
    "aligned_gap": {"t above 0"},
    **dict.fromkeys(("T5-advance", "T8-step", "window", "T7", "T15-java"), frozenset({"tick"})),
    **dict.fromkeys(("T2", "T3"), frozenset({"tick", "size"})),
    # and true of a clock between two ticks as well; the proof is shorter so
    **dict.fromkeys(("T6", "T17-insert"), frozenset({"tick", "size", "clock"})),
    "T16-deadline": {"tick", "size", "boundary"},
    # and IDLE
    "T16": {"tick", "size", "passed over", "one slot"},
    "T17-advance": {"tick", "size", "key"},
    # out of reach of small numbers: the mutants of T15 show that deadlines need their bound
    "T15": {"clock"},
    "T15-levels": {"deadline up to M", "clock", "passed on"},
    "T15-kafka": {"turn of level 13"},
}
BEYOND = {
    "t": range(-2, 5),
    "w": range(-2, 5),
    "b": range(-2, 6),
    "k": range(-2, 4),
    "s": range(-1, 3),
    "moved": range(-1, 3),
}
"""Ranges for what a premise keeps out."""


@pytest.mark.parametrize(("theory", "name"), NAMES, ids=[name for _, name in NAMES])
def test_without_one_of_its_premises_the_statement_is_refuted(theory: Theory, name: str):
    statement, needed = theory.own[name], set()
    for values in cases(statement, BEYOND):
        values = dict(zip(statement.variables, values))
        try:
            failed = [
                premise for premise, holds in statement.premises(**values).items() if not holds
            ]
        except ZeroDivisionError:
            continue
        if len(failed) == 1 and failed[0] not in needed:
            try:
                refuted = not statement.claim(**values)
            except ZeroDivisionError:
                refuted = True  # what it speaks of is not there
            if refuted:
                needed.add(failed[0])
    every = set(statement.premises(**dict.fromkeys(statement.variables, 1)))
    assert every - needed == NOT_SHOWN_NEEDED.get(name, set())


def unlike(statements) -> list[str]:
    """Names of premises that stand for two formulas, with the statements of the rarer one."""
    found: dict[tuple, dict[str, list[str]]] = {}
    for name, statement in statements:
        for premise, formula in statement.premises(**statement.symbols()).items():
            text = str(formula)
            variables = frozenset(re.findall(r"\b[A-Za-z]\w*\b", text)) & set(statement.variables)
            found.setdefault((premise, variables), {}).setdefault(text, []).append(name)
    return [
        f"{premise}: {text} in {', '.join(names)}"
        for (premise, _), texts in found.items()
        for text, names in sorted(texts.items(), key=lambda item: -len(item[1]))[1:]
    ]


def test_a_premise_of_one_name_says_the_same_everywhere():
    """A theorem that asks for more than the others is weaker: others may use its lost part."""
    assert unlike((name, theory.own[name]) for theory, name in NAMES) == []


def test_a_premise_that_asks_for_more_is_named():
    every = {name: theory.own[name] for theory, name in NAMES}
    for name, premise in ("T1", "tick"), ("T9", "size"), ("T10", "tick"):
        stronger = replace(
            every[name],
            premises=lambda of=every[name], premise=premise, **at: (
                (found := dict(of.premises(**at)))
                | {premise: found[premise].arg(0) > found[premise].arg(1)}
            ),
        )
        (difference,) = unlike((every | {name: stronger}).items())
        assert difference.startswith(f"{premise}: ") and difference.endswith(f" in {name}")


def test_that_search_finds_what_is_false():
    """Each mutant with its theorem's ranges: the search refutes most of them by itself."""
    missed = []
    for theory, name in NAMES:
        for mutant, wrong in theory.mutants.get(name, {}).items():
            if not any(
                wrong.refuted_by(dict(zip(wrong.variables, values))) == ""
                for values in cases(wrong)
            ):
                missed.append(f"{name}: {mutant}")
    # bounds of 32 and 64 bits are out of reach of small numbers
    assert set(missed) <= {
        "T15: any long as tick",
        "T15-levels: any long as deadline",
        "T16-deadline: any stall",
        "code-get_delay: modulo",
        "code-get_delay: capped",
    }


def test_the_bound_of_the_proof_is_the_one_that_the_timer_enforces():
    from impl.clock import VirtualClock
    from impl.system_timer import SystemTimer

    class Never:
        def submit(self, *_):
            raise AssertionError("nothing is due")

        def shutdown(self, wait):
            pass

    for size in (2, 20, 512):
        timer = SystemTimer(Never(), wheel_size=size, clock=VirtualClock())
        assert timer.max_deadline_ms == bounds.last(size)
        timer.close()


@pytest.mark.parametrize(
    ("decision", "theorems"),
    [
        by_night(("M11", ["code-add"])),
        by_night(("M17_late", ["code-fits", "code-add"])),
        by_night(("M17_turn", ["code-fits", "code-add"])),
        ("WrongSlot", ["code-bucket_index", "code-add"]),
        ("SaysNo", ["code-add"]),
        by_night(("M18", ["code-advance_clock"])),
    ],
)
def test_the_wheels_mutants_are_not_what_the_theorems_are_about(decision, theorems):
    """The code is part of the proof: numbers refute each change of the wheel's steps."""
    changed = isolated.load(
        ROOT, "impl.timing_wheel", ARTEFACTS.mechanism.without(decision).modules
    )
    theory = code.theory(changed)
    found = {name: theory.check(name, seeds=1).verdict for name in theory.theorems}
    assert {
        name: verdict for name, verdict in found.items() if verdict != "proved"
    } == dict.fromkeys(theorems, "violated")


@pytest.mark.parametrize(
    ("function", "change"),
    [
        by_night(("bucket_index", lambda deadline, tick, size: deadline % size // tick)),
        by_night(("bucket_index", lambda deadline, tick, size: deadline // tick % (size + 1))),
        by_night(("bucket_expiration", lambda deadline, tick: deadline)),
        ("trim", lambda time, tick: time // tick),
        by_night(("fits", lambda deadline, current, interval: deadline <= current + interval)),
        ("expired", lambda deadline, current, tick: deadline <= current + tick),
    ],
)
def test_changed_functions_are_not_what_the_theorems_are_about(function, change):
    theory = code.theory(SimpleNamespace(**vars(timing_wheel) | {function: change}))
    assert "violated" in {theory.check(name, seeds=1).verdict for name in theory.theorems}


def test_a_timer_that_takes_one_deadline_more_is_not_what_the_bound_is_for():
    class OneMore:
        def add(self, task):
            if not 0 <= self.clock.hi_res_clock_ms() + task.delay_ms <= self.max_deadline_ms + 1:
                raise ValueError
            self.add_timer_task_entry(
                SimpleNamespace(expiration_ms=self.clock.hi_res_clock_ms() + task.delay_ms)
            )

    assert timer_code.theory(OneMore).check("code-deadlines", seeds=1).verdict == "violated"


def test_kafkas_numbers():
    """With 20 buckets of 1 ms, 20^14 ms is a turn of level 13 and the tick of level 14.

    Levels count from 0. Level 14 is the one that overflows.
    """
    wrapped = (20**15 + 2**63) % 2**64 - 2**63
    assert 20**14 <= bounds.LONG < 20**15 and wrapped < 0 and bounds.last(20) < 20**14
    assert (
        slots.key(7990, 400) == 7600
        and slots.slot(7990, 400, 20) == slots.slot(15700, 400, 20) == 19
        and clock.trim(7990, 20) == 7980
    )
    assert levels.key(4399, 400) == 4000 and order.key(4399, 20) == 4380


def test_the_bounds_of_d1_are_reached_by_the_numbers_of_its_report():
    """docs/D1.md: an entry due at 3,997 is passed at the boundary 4,000.

    Its bucket gets the key 4,380 from an entry due at 4,399.
    """
    numbers = {"s": 3997, "f": 4399, "K": 4000, "t": 20, "w": 20}
    for name in "T16", "T16-deadline":
        statement = order.THEORY.own[name]
        assert all(statement.premises(**numbers).values()) and statement.claim(**numbers)
    assert order.key(4399, 20) == 4000 + 19 * 20 == order.key(3997, 20) + 20 * 20


class After24Days:
    """A bucket whose key is taken modulo 2^31."""

    def get_delay(self):
        return max(self.expiration.get() % 2**31 - self.clock.hi_res_clock_ms(), 0)

    def compare_to(self, other):
        return Bucket.compare_to(self, other)


class Backwards:
    """A bucket that comes before those with smaller keys."""

    def get_delay(self):
        return Bucket.get_delay(self)

    def compare_to(self, other):
        return Bucket.compare_to(other, self)


@pytest.mark.parametrize(
    ("changed", "name"), [(After24Days, "code-get_delay"), (Backwards, "code-compare_to")]
)
def test_a_changed_method_of_a_bucket_is_refused(changed, name):
    assert queue_code.theory(changed).check(name, seeds=1).verdict == "violated"
