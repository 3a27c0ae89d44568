import wheelproof
from benchmarks.races.programs.watchdog_close import program


def test_close_ends_each_reader():
    with wheelproof.explore():
        program()
