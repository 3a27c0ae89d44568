"""The threads of a pool's scenario."""

from pathlib import Path

from model.task_executor import Model
from wheelproof import project

MECHANISM = project.find(Path(__file__).parents[2])["task_executor"]


def test_a_thread_whose_last_task_is_called_work_is_a_user_all_the_same():
    scenario = next(iter(MECHANISM.scenarios.values()))
    threads = {"adder": [["submit", "work"]], "worker": [["work"]]}
    assert Model(scenario | {"threads": threads}).users == ("adder",)
