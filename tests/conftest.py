"""Hypothesis profiles, which tests share a process when several run side by side, and what tests tell at the end.

`fast` is the profile of every run of the suite, `long` that of a campaign (`make fuzz`).
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("fast", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", max_examples=5000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))
os.environ.pop("COLUMNS", None)  # texts are compared at the width of a log, whatever the terminal is or readline has set

TESTS = Path(__file__).parent
SHARING = (TESTS / "wheelproof" / "pipeline", TESTS / "wheelproof" / "layers")
"""Folders whose files share something dear: one Spark session, the runs of TLC that ``layers`` keeps."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one file stay together (``--dist loadgroup``): they share what their module has worked out once."""
    for item in items:
        together = next((folder for folder in SHARING if folder in item.path.parents), item.path)
        item.add_marker(pytest.mark.xdist_group(str(together.relative_to(TESTS))))


def pytest_terminal_summary(terminalreporter) -> None:
    """What tests have to tell, as the property ``told``: reports reach this process from wherever the tests ran."""
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, text in getattr(report, "user_properties", ()):
                if name == "told":
                    terminalreporter.write_line(text)
