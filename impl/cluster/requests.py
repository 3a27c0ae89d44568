"""What the duties request of ZooKeeper beside ``impl/zookeeper_requests.py``, and how they do it.

A duty is a generator. It yields one request at a time, with the reason for it, and is sent the
reply. So it runs on the ZooKeeper in memory and on a real one.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple, TypeAlias, TypeVar

from impl.controller import Ask, SessionExpired
from impl.zookeeper_requests import Code, Connected, Reply, Request

T = TypeVar("T")


class Children(NamedTuple):
    """The names of a node's children: ``data`` has them, with a slash between two.

    ``watch``: the session gets the next change of these names, as the change ``children`` of the
    path with a slash behind it.
    """

    path: str
    watch: bool = False


class Origin(NamedTuple):
    """A node's data; the reply's version is the number of the transaction that created the node."""

    path: str


AnyRequest: TypeAlias = "Request | Children | Origin"


class Step(NamedTuple):
    """What a duty yields."""

    why: str
    request: AnyRequest


Wanted: TypeAlias = "Ask | Step"
Duty: TypeAlias = "Generator[Wanted, Reply, None]"
Giving: TypeAlias = "Generator[Wanted, Reply, T]"


def performed(why: str, request: AnyRequest) -> Giving[Reply]:
    """The reply to a request, which is made again if its reply is lost.

    So a transaction may be refused that was performed before. Raises SessionExpired.
    """
    while True:
        reply = yield Step(why, request)
        if reply.code is Code.CONNECTION_LOSS:
            reply = yield Step("wait for a connection", Connected())
            if reply.ok or reply.code is Code.CONNECTION_LOSS:
                continue
        if reply.code is Code.SESSION_EXPIRED:
            raise SessionExpired
        return reply


def names(reply: Reply) -> tuple[str, ...]:
    """The names in a reply to :class:`Children`, sorted; none if there is no such node."""
    return tuple(sorted(reply.data.split("/"))) if reply.data else ()
