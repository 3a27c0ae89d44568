import wheelproof
from benchmarks.races.programs.pykka_ask_stop import program


def test_each_question_ends():
    with wheelproof.explore():
        program()
