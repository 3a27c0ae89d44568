"""The ring with which a scenario begins."""

from harness.timer_task_list import Harness
from tests.found import mechanisms

MECHANISM = mechanisms()["timer_task_list"]


def test_entries_name_their_list_and_a_sentinel_names_none():
    ringed = 0
    for scenario in MECHANISM.scenarios.values():
        made = Harness(scenario)
        for name, bucket in made.lists.items():
            assert getattr(bucket.root, "list", None) is None
            for entry in scenario["ring"].get(name, ()):
                assert made.entries[entry].list is bucket
                ringed += 1
    assert ringed > 10
