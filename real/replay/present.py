"""The ensemble that the elector is on now, for code that is loaded apart and gets no argument."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from impl import zookeeper_requests
from impl.zookeeper import ZNode
from real.replay.sessions import Sessions
from wheelproof.errors import ToolError

_present: list[Sessions] = []


@contextmanager
def on(sessions: Sessions) -> Iterator[None]:
    """Have the elector on these sessions."""
    _present.append(sessions)
    try:
        yield
    finally:
        _present.pop()


def sessions() -> Sessions:
    if not _present:
        raise ToolError("The elector is on no ensemble.")
    return _present[-1]


def translate(request: Any) -> Any:
    """A request of another module of the same name, with its parts, as one of this module."""
    kind = getattr(zookeeper_requests, type(request).__name__)
    if kind is zookeeper_requests.Multi:
        return kind(tuple(map(translate, request.parts)))
    return kind(*request)


def nodes(rows: Iterable[Any]) -> tuple[ZNode, ...]:
    """Nodes of another module of the same name, in the same way."""
    return tuple(ZNode(*node) for node in rows)
