"""Hypothesis profiles: `fast` for every run of the suite, `long` for a campaign (`make fuzz`)."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("fast", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", max_examples=5000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))
