"""A project of oracles, with the shipped files that its executors have."""

import sys

import pytest

pytest.importorskip("pyarrow", reason="the extra `data` is not installed: make setup-data")

from tests.wheelproof.campaign import folders


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    root = folders.project(tmp_path_factory.mktemp("oracles"))
    yield root
    sys.path.remove(str(root))
    sys.modules.pop("oracles", None)


@pytest.fixture(scope="session")
def shipped(project, tmp_path_factory):
    """The project as Spark unpacks it."""
    output = tmp_path_factory.mktemp("shipped")
    folders.begun(project, output)
    return folders.unpacked(output, output / "project")
