import wheelproof
from benchmarks.races.programs.urllib3_close import program


def test_two_threads_close_a_pool():
    with wheelproof.explore():
        program()
