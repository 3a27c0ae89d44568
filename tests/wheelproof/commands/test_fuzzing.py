"""The command that checks timers: its exit codes and refusals."""

import pytest

from tests.examples.pages import wheelproof
from tests.found import ROOT

SUBJECTS = "tests.wheelproof.timers.subjects"
FEW = ("--programs", "2", "--executions", "40")


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("timer", "more", "code", "reported"),
    [
        ("Early", (), 1, "bug: not early: action 1 runs 1 ms before it is due"),
        ("Unheard", ("--excuse", "once"), 5, "vacuous: no action ran in any program"),
    ],
)
def test_the_exit_code_is_that_of_the_gravest_answer(timer, more, code, reported):
    got, output = wheelproof(ROOT, "fuzz", "--timer", f"{SUBJECTS}:{timer}", *FEW, *more)
    assert got == code, output
    assert reported in output


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["--timer", "nothing"], "names no factory"),
        (["--timer", "no.such:Timer"], "No module named"),
        (["--timer", f"{SUBJECTS}:NoTimer"], "NoTimer"),
        (["--timer", f"{SUBJECTS}:__doc__"], "makes nothing"),
        (["--timer", f"{SUBJECTS}:Sound", "--excuse", "early"], "no such clause"),
    ],
)
def test_a_bad_input_is_refused(arguments, reported):
    code, output = wheelproof(ROOT, "fuzz", *arguments)
    assert code == 2
    assert reported in output
