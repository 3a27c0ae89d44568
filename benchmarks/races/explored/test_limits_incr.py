import wheelproof
from benchmarks.races.programs.limits_incr import program


def test_each_hit_counts():
    with wheelproof.explore():
        program()
