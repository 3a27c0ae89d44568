"""Programs in files of their own."""

import pytest

from tests.wheelproof.plain.written import Written


@pytest.fixture
def written(tmp_path, monkeypatch):
    files = Written(tmp_path, monkeypatch)
    yield files
    files.forget()
