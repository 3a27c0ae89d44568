"""One search for Java and TLC; a folder with copies of the small specs for every test."""

import shutil
from pathlib import Path

import pytest

from wheelproof.tlc import jar as jars
from wheelproof.tlc import java as javas
from wheelproof.tlc import mc, process, server

SPECS = Path(__file__).parent / "specs"


@pytest.fixture(scope="session")
def tools():
    """The keyword arguments by which a call is given Java and TLC's jar."""
    return {"java": javas.locate(), "jar": jars.locate()}


@pytest.fixture
def spec(tmp_path):
    """A function from a module's name to a copy of it that the test may change."""
    return lambda name: Path(shutil.copy(SPECS / f"{name}.tla", tmp_path))


@pytest.fixture
def shared(tools):
    """Options of a run whose end is judged, and not its process: JVMs take a second to start."""
    server.make(tools["java"])
    return {"shared": True}


@pytest.fixture
def check(tmp_path, tools):
    """Run TLC on a module of `specs` with a generated config; arguments as those of McConfig."""

    def check(name, *, run=None, **config):
        origin = "a test"
        files = mc.generate(
            mc.McConfig("MC" + name, SPECS / f"{name}.tla", origin, **config), tmp_path / "mc"
        )
        return process.run(files.module, **{"timeout": 300, **tools, **(run or {})})

    return check
