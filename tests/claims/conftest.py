"""The values that the JDK's own classes give, for the tests of claims."""

from __future__ import annotations

import pytest

from tests.claims import jdk
from tests.claims.jdk import NoJava


@pytest.fixture
def probe(request, record_property):
    """The value of a probe by its name; skips the test, by name, where there is no Java for it."""
    try:
        found = jdk.probes()
    except NoJava as missing:
        record_property("report", f"{request.node.nodeid} was not run: {missing}")
        pytest.skip(f"not run: {missing}")
    return found.__getitem__
