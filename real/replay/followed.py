"""A path performed by the elector, and compared with the model after each step."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path as File
from typing import Any

from real.replay import present
from real.replay.paths import Graphs, Path, end_of
from real.replay.sessions import Sessions
from wheelproof.errors import ToolError
from wheelproof.graph import reduced
from wheelproof.python import (
    ControlledImplementation,
    Replay,
    replay,
)

IN_PLACE_OF = "impl.zookeeper"
Pieces = Mapping[str, tuple[object, ...]]


class Follower:
    """Performs paths on an ensemble; without one, on the ZooKeeper in memory."""

    def __init__(self, graphs: Graphs, sessions: Sessions | None = None) -> None:
        self.graphs, self.mechanism, self.sessions = graphs, graphs.mechanism, sessions
        self.loaded: dict[str, ControlledImplementation] = {}

    def follow(self, path: Path, wrong: str = "") -> Replay:
        """Perform a path up to its end, or up to the first difference from the model.

        ``wrong``: a variable that is altered in the model's states after the last step. Raises
        ToolError where the ensemble fails.
        """
        graph = self.graphs.graph(path.scenario, path.model_without)
        of_state = reduced.shared_of(graph)
        last = end_of(self.graphs, path) if wrong else -1

        def shared_of(number: int) -> Pieces:
            pieces = of_state(number)
            return {**pieces, wrong: alter(pieces[wrong])} if number == last else pieces

        with present.on(self.sessions) if self.sessions else nullcontext():
            result = replay(
                self.implementation(path.impl_without),
                self.mechanism.scenarios[path.scenario],
                path.schedule,
                rows=reduced.rows(graph),
                shared_of=shared_of,
            )
        if self.sessions is not None and self.sessions.failed is not None:
            error = self.sessions.failed
            raise ToolError(f"{path.name}: the ensemble failed: {error}") from error
        if result.end == "watchdog":
            raise ToolError(f"{path.name}: a step does not end: {result.difference}")
        return result

    def implementation(self, without: str) -> ControlledImplementation:
        """The elector under control, without a decision, on the ensemble if there is one."""
        if without not in self.loaded:
            texts = dict(self.mechanism.without(without).modules)
            if self.sessions is not None:
                if IN_PLACE_OF in texts:
                    raise ToolError(f"{without} changes {IN_PLACE_OF}, which is replaced here.")
                texts[IN_PLACE_OF] = File(__file__).with_name("in_place.py").read_text("utf-8")
            self.loaded[without] = ControlledImplementation.load(
                self.mechanism.root, self.mechanism.name, texts=texts, lint=False
            )
        return self.loaded[without]


def alter(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return f"not {value}"
    if isinstance(value, frozenset):
        return value ^ {"b1"}
    assert isinstance(value, tuple)
    return (alter(value[0]), *value[1:]) if value else ("work",)
