import wheelproof
from benchmarks.races.programs.apscheduler_add_job import program


def test_a_job_is_added_while_the_scheduler_starts():
    with wheelproof.explore():
        program()
