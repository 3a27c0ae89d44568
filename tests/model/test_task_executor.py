"""The threads of a pool's scenario."""

from model.task_executor import Model
from tests.found import mechanisms

MECHANISM = mechanisms()["task_executor"]


def test_a_thread_whose_last_task_is_called_work_is_a_user_all_the_same():
    scenario = next(iter(MECHANISM.scenarios.values()))
    threads = {"adder": [["submit", "work"]], "worker": [["work"]]}
    assert Model(scenario | {"threads": threads}).users == ("adder",)
