"""A context on the timer's mechanism; equal runs of TLC are run once for all tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.model.timer import MECHANISM
from wheelproof.checks.context import Context

_RUNS: dict[tuple, tuple] = {}


class SharedContext(Context):
    """A Context that keeps runs of TLC by their inputs. ``runs`` lists the runs of all tests."""

    def tlc(
        self,
        name,
        config,
        *,
        invariants=(),
        properties=(),
        deadlock,
        dump=None,
        go_on=False,
        layer="tlc",
    ):
        key = (
            config.scenario,
            self.mechanism.lacking,
            invariants,
            properties,
            deadlock,
            config.fair,
            config.module,
            dump is not None,
            go_on,
        )
        if key not in _RUNS:
            result = super().tlc(
                name,
                config,
                invariants=invariants,
                properties=properties,
                deadlock=deadlock,
                dump=dump,
                go_on=go_on,
                layer=layer,
            )
            kept = _RUNS["folder"] / f"{len(_RUNS)}.dot" if dump is not None else None
            if kept is not None and dump.exists():
                shutil.copyfile(dump, kept)
            _RUNS[key] = (result, kept)
        result, kept = _RUNS[key]
        if kept is not None and kept.exists():
            dump.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(kept, dump)
        return result


@pytest.fixture(scope="session", autouse=True)
def _store(tmp_path_factory):
    _RUNS["folder"] = tmp_path_factory.mktemp("dumps")
    yield
    _RUNS.clear()


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return SharedContext(MECHANISM, tmp_path)
