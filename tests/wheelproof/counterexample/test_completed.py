"""What an invariant says of a mutant's last state is looked up when the file is shown."""

from dataclasses import replace
from pathlib import Path

import pytest

from wheelproof.checks import mutant
from wheelproof.checks.context import Context
from wheelproof.counterexample import document, falsified
from wheelproof.project import find

ROOT = Path(__file__).parents[3] / "examples/one_shot"


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    """The counterexample of a decision that is taken away, as a verification writes it."""
    mechanism, output = find(ROOT)["one_shot"], tmp_path_factory.mktemp("output")
    report = mutant.check(Context(mechanism, output, "fast"), [mechanism.mutants["Unlocked"]])
    return document.read(output / report.rows[0].trace)


def test_a_verification_writes_the_words_and_showing_finds_the_false_part(trace):
    (words,) = trace.says
    assert words.startswith("RunsOnce: ")
    shown = falsified.complete(trace, ROOT).says
    assert shown[0] == words and shown[1].startswith("False: runs <= 1 (OneShot.tla:")
    assert shown[2:] == ("It reads runs = 2.",)


@pytest.mark.parametrize(
    "changed",
    [
        {"model_without": ""},
        {"model_without": "NoSuchDecision"},
        {"mechanism": "no_such_mechanism"},
        {"says": ("RunsOnce: once", "False: it is known already.")},
        {"property": "NoDeadlock"},
        {"steps": ()},
    ],
)
def test_nothing_is_added_where_it_is_known_or_cannot_be_found(trace, changed):
    other = replace(trace, **changed)
    assert falsified.complete(other, ROOT) == other
