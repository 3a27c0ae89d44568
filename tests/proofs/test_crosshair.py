"""CrossHair on the wheel's functions: the table's verdicts, refuted mutants, misleading outputs."""

import importlib

import pytest

from impl.timing_wheel import TimingWheel
from proofs.crosshair import contracts, mutants, pairs, table
from tests.impl.bare_wheels import bare, places
from tests.nights import first

NONE = ""


BRIEF = 1
"""CPU seconds for a condition without an end, which uses up all that it is given."""

BY_NIGHT = frozenset({"level", "level_no_coarser_than_the_delay"})
"""The functions about levels: CrossHair searches each of them longer than all others together."""


def confirmed(outcomes):
    """How many of the mutants' counterexamples Python confirms; it must confirm each."""
    known, calls = table.contracts(mutants), 0
    for name, outcome in outcomes.items():
        for call in outcome.calls:
            assert table.confirmed(mutants, known[name], call) == NONE
            calls += 1
    return calls


@pytest.fixture(scope="module")
def outcomes():
    """The outcomes by day, by module."""
    every = table.contracts
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(table, "ENDLESS", BRIEF)
        patched.setattr(
            table,
            "contracts",
            lambda module: {
                name: contract for name, contract in every(module).items() if name not in BY_NIGHT
            },
        )
        return {
            module: table.check(f"proofs.crosshair.{module}", wanted)
            for module, wanted in table.expected().items()
        }


@pytest.mark.daily(2)
@pytest.mark.slow
@pytest.mark.parametrize("module", ["contracts", "mutants"])
def test_every_function_ends_as_the_table_says(outcomes, module):
    wanted = table.expected()[module]
    assert {name: outcome.verdict for name, outcome in outcomes[module].items()} == {
        name: verdict for name, verdict in wanted.items() if name not in BY_NIGHT
    }


@pytest.mark.slow
def test_python_confirms_every_counterexample(outcomes):
    refuted = [name for name, each in outcomes["mutants"].items() if each.verdict == "refuted"]
    assert confirmed(outcomes["mutants"]) == len(refuted) > 0


@pytest.mark.nightly
@pytest.mark.parametrize("module", ["contracts", "mutants"])
def test_a_longer_search_ends_as_the_table_says(module):
    wanted = table.expected()[module]
    found = table.check(f"proofs.crosshair.{module}", wanted)
    assert table.ENDLESS > BRIEF and "bounded" in wanted.values() and BY_NIGHT & set(wanted)
    assert {name: outcome.verdict for name, outcome in found.items()} == wanted
    if module == "mutants":
        assert confirmed(found) == list(wanted.values()).count("refuted")


@pytest.mark.nightly
def test_a_verdict_for_lack_of_time_counts_only_after_more_of_it(monkeypatch):
    """With no time CrossHair finds no input for the preconditions of ``level``.

    A busy machine has that verdict too.
    """
    wanted = {
        name: "bounded" if name == "level" else "refuted" for name in table.contracts(contracts)
    }
    only = {"level": table.contracts(contracts)["level"]}
    monkeypatch.setattr(table, "contracts", lambda module: only)
    monkeypatch.setattr(table, "ENDLESS", 0.001)
    for times, verdict in ((1,), "unmet"), ((1, 1_000, 4_000, 16_000), "bounded"):
        monkeypatch.setattr(table, "TIMES_MORE", times)
        assert table.check("proofs.crosshair.contracts", wanted)["level"].verdict == verdict


def test_the_table_names_every_contract_and_its_words():
    for module, wanted in table.expected().items():
        assert set(wanted) == set(
            table.contracts(importlib.import_module(f"proofs.crosshair.{module}"))
        )
        assert set(wanted.values()) <= {"confirmed", "bounded", "refuted", "unmet"}
    assert set(table.expected()["contracts"].values()) <= {"confirmed", "bounded"}


# -- the traps of its output: none of these may pass for a confirmation

TWO = table.Contract("two", ("a > 0",), ("__return__", "True"), (7, 8), (6,))


@pytest.mark.parametrize(
    ("output", "verdict"),
    [
        (
            "x.py:7: info: Confirmed over all paths.\nx.py:8: info: Confirmed over all paths.",
            "confirmed",
        ),
        ("x.py:7: info: Confirmed over all paths.\nx.py:8: info: Not confirmed.", "bounded"),
        ("x.py:7: info: Confirmed over all paths.", "no verdict"),
        ("", "no verdict"),
        ("x.py:6: info: Unable to meet precondition.", "unmet"),
        (
            "x.py:7: info: Unable to meet precondition.\n"
            "x.py:8: info: Unable to meet precondition.",
            "unmet",
        ),
        (
            "x.py:7: info: Confirmed over all paths.\n"
            "x.py:8: error: false when calling two(1) (which returns (0, 3))",
            "refuted",
        ),
        (
            "x.py:7: info: Confirmed over all paths.\n"
            "x.py:8: error: ZeroDivisionError: division by zero when calling two(0)",
            "raised",
        ),
    ],
)
def test_a_function_has_the_worst_of_its_conditions_verdicts(output, verdict):
    assert table.read(output, [TWO])["two"].verdict == verdict


@pytest.mark.parametrize(
    "output",
    [
        "x.py:9: info: Confirmed over all paths.",
        "x.py:6: info: Confirmed over all paths.",
        "Traceback (most recent call last):",
        "x.py:7: info: Confirmed over some paths.",
        "x.py:7: warning: something else",
    ],
)
def test_a_line_without_a_meaning_is_an_error(output):
    with pytest.raises(table.OutputError):
        table.read(output, [TWO])


@pytest.mark.nightly
def test_the_exit_code_is_0_for_what_is_not_confirmed_and_for_what_nothing_meets():
    """Why the table is read from the output. Without --report_all it is even empty."""
    command = ["check", "--analysis_kind=PEP316", "--per_condition_timeout=1"]
    functions = [f"proofs.crosshair.mutants.{name}" for name in ("no_end", "nothing_meets_it")]
    ended = table.crosshair(*command, "--report_all", *functions)
    assert ended.returncode == 0
    assert "Not confirmed." in ended.stdout and "Unable to meet precondition." in ended.stdout
    silent = table.crosshair(*command, *functions)
    assert (silent.returncode, silent.stdout) == (0, "")


def test_a_counterexample_is_confirmed_only_where_it_is_one():
    known = table.contracts(mutants)["key_rounded_up"]
    assert table.confirmed(mutants, known, "key_rounded_up(0, 1)") == NONE
    assert table.confirmed(mutants, known, "key_rounded_up(deadline_ms=0, tick_ms=1)") == NONE
    assert "precondition" in table.confirmed(mutants, known, "key_rounded_up(-1, 1)")
    assert "calls something else" in table.confirmed(mutants, known, "trim(0, 1)")
    good = table.contracts(contracts)["key_before_the_deadline"]
    assert "every postcondition holds" in table.confirmed(
        contracts, good, "key_before_the_deadline(17, 5)"
    )


# -- the same numbers twice


def test_every_pair_has_a_docstring_or_names_the_code():
    for pair in (*pairs.SAME, *pairs.DIFFERENT):
        assert all(callable(getattr(pairs, name)) for name in pair)


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), first(pairs.SAME))
def test_the_code_computes_the_formula(one, other):
    ended = table.crosshair(
        "diffbehavior", f"proofs.crosshair.pairs.{one}", f"proofs.crosshair.pairs.{other}"
    )
    assert "All paths exhausted, functions are likely the same!" in ended.stdout, (
        ended.stdout + ended.stderr
    )


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), first(pairs.DIFFERENT))
def test_a_mutant_differs_and_python_confirms_where(one, other):
    ended = table.crosshair(
        "diffbehavior", f"proofs.crosshair.pairs.{one}", f"proofs.crosshair.pairs.{other}"
    )
    assert "All paths exhausted" not in ended.stdout
    given = (
        next(line for line in ended.stdout.splitlines() if line.startswith("Given: "))
        .removeprefix("Given: ")
        .rstrip(",")
    )
    arguments = eval(f"dict{given}", {"dict": dict})
    assert getattr(pairs, one)(**arguments) != getattr(pairs, other)(**arguments)


def test_the_contracts_level_is_the_one_that_a_real_wheel_finds():
    """``taken_by`` follows ``add`` and ``new_parent`` by hand; the wheel checks it here."""
    for tick, size, start in (1, 2, 0), (1, 20, 7999), (3, 5, 7), (2, 3, 135):
        for deadline in range(start + 2 * tick, start + 40 * tick):
            (found,) = places(bare(TimingWheel, tick, size, start), deadline)
            assert found[0] == contracts.taken_by(deadline, start, tick, size)[0]
