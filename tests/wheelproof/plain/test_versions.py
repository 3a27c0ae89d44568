"""The same programs under other interpreters, where those are installed with greenlet."""

import pytest

from tests.wheelproof.plain import interpreters

PROGRAM = """
from tests.wheelproof.plain import faulty, sound
from wheelproof.plain.exploration import explore_program, replay_program

for program, (kind, only) in faulty.CLASSES.items():
    found = explore_program(program)
    right = found.answer == "bug" and found.failure.kind == kind
    again = replay_program(program, found.schedule)
    if not right or not again.possible or again.failure is None:
        print(program.__name__, found.answer, found.reason)
for program in sound.CLASSES:
    found = explore_program(program)
    if found.answer != "exhausted":
        print(program.__name__, found.answer, found.reason)
"""


@pytest.mark.parametrize("version", interpreters.VERSIONS)
def test_another_version_of_python_answers_alike(version):
    python = interpreters.needed(version, "greenlet")
    run = interpreters.run(python, "-c", PROGRAM)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
