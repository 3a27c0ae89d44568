"""A JVM with the released classes of a test module's ``BINDING``, in its release ``RELEASE``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from wheelproof.jvm.jars import NotHere
from wheelproof.jvm.process import Jvm
from wheelproof.jvm.setup import prepare

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jvm")


@pytest.fixture(scope="module")
def jvm(request: pytest.FixtureRequest, output: Path) -> Iterator[Jvm]:
    """Without the release's jars nothing is run."""
    module = request.module
    try:
        setup = prepare(ROOT, output, module.BINDING, module.RELEASE, fetch=True)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    with Jvm(setup, heap_mb=500) as process:
        yield process
