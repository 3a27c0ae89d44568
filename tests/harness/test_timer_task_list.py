"""The ring with which a scenario begins."""

from pathlib import Path

from harness.timer_task_list import Harness
from wheelproof import project

MECHANISM = project.find(Path(__file__).parents[2])["timer_task_list"]


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
