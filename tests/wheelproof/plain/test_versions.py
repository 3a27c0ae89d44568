"""The same programs under other interpreters, where those are installed with greenlet."""

import pytest

from tests.wheelproof.plain import interpreters
from tests.wheelproof.plain.lock_order import faulty, sound

PROGRAM = """
from tests.wheelproof.plain import faulty, handed, hidden_accesses, process_state, sound, traps
from wheelproof.plain.exploration import explore_program
from wheelproof.plain.replaying import replay_program

for program, (kind, only) in faulty.CLASSES.items():
    found = explore_program(program)
    right = found.answer == "bug" and found.failure.kind == kind
    again = replay_program(program, found.schedule)
    if not right or not again.possible or again.failure is None:
        print(program.__name__, found.answer, found.reason)
MODULES = (traps, handed, hidden_accesses, process_state)
ANSWERS = {
    "exhausted": [sound.CLASSES, *(module.EXHAUSTED for module in MODULES)],
    "bug": [module.BUGS for module in MODULES],
    "unseen": [module.UNSEEN for module in (handed, hidden_accesses, process_state)],
}
for answer, lists in ANSWERS.items():
    for program in sum(map(list, lists), []):
        found = explore_program(program)
        if found.answer != answer:
            print(program.__name__, found.answer, found.reason)
"""


@pytest.mark.parametrize("version", interpreters.BY_DAY_AND_NIGHT)
def test_another_version_of_python_answers_alike(version):
    python = interpreters.needed(version, "greenlet")
    run = interpreters.run(python, "-c", PROGRAM)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


LOCKS = """
from tests.wheelproof.plain.lock_order import faulty, judged, sound

programs = [*faulty.PROGRAMS.items(), *((program, 0) for program in sound.PROGRAMS)]
for program, locks in programs:
    result = judged.analysed(program)
    found = [len(cycle.orders) for cycle in result.inversions]
    if found != [locks] * bool(locks) or result.opposite or not result.locks:
        print(program.__name__, found)
print(len(programs))
"""


@pytest.mark.parametrize("version", interpreters.VERSIONS)
def test_another_version_of_python_has_the_same_orders_of_locks(version):
    python = interpreters.needed(version, "threading")
    run = interpreters.run(python, "-c", LOCKS)
    count = len(faulty.PROGRAMS) + len(sound.PROGRAMS)
    assert (run.returncode, run.stdout, run.stderr) == (0, f"{count}\n", "")
