"""A pytest plugin that prints when each collected test runs, for :mod:`tests.claims.evidence`."""

from __future__ import annotations

PROFILES = ("fast", "nightly", "never")
"""When a test runs: in every run of the suite, in the nightly run alone, or not at all."""


def profile(item) -> str:
    """When a test runs. A test that is always skipped, or expected to fail, decides nothing."""
    if any(item.get_closest_marker(name) for name in ("skip", "xfail")):
        return "never"
    return "nightly" if item.get_closest_marker("nightly") else "fast"


def pytest_collection_modifyitems(items) -> None:
    for item in items:
        print(f"collected {profile(item)} {item.nodeid}")
