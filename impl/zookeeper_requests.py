"""Requests to ZooKeeper and its replies, as values.

One part of a program decides what to request, and another one has a connection and performs it. So
the same decisions run on a ZooKeeper in memory and on a real one.

A version of -1 stands for any, as in ZooKeeper.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, TypeAlias

ANY = -1


class Code(Enum):
    """How a request ended. The last two: the reply is lost; the session has expired."""

    OK = "ok"
    NO_NODE = "no node"
    NODE_EXISTS = "node exists"
    BAD_VERSION = "bad version"
    CONNECTION_LOSS = "connection loss"
    SESSION_EXPIRED = "session expired"


class Reply(NamedTuple):
    """A reply: the node's data and version, where it has one.

    ``failed``: which part of a transaction failed, by its place. ``mine``: the node that was read
    goes with the session that asks.
    """

    code: Code
    data: str = ""
    version: int = ANY
    failed: int = 0
    mine: bool = False

    @property
    def ok(self) -> bool:
        return self.code is Code.OK


class Exists(NamedTuple):
    """Whether there is a node. The session watches it from now on, also where there is none."""

    path: str


class Get(NamedTuple):
    """A node's data and version."""

    path: str


class Create(NamedTuple):
    """A new node of version 0. An ephemeral one goes with its session."""

    path: str
    data: str
    ephemeral: bool = False


class Put(NamedTuple):
    """New data for a node of this version; the version goes up by one."""

    path: str
    data: str
    version: int = ANY


class Check(NamedTuple):
    """A part of a transaction that fails unless the node has this version."""

    path: str
    version: int


class Delete(NamedTuple):
    """Delete a node of this version."""

    path: str
    version: int = ANY


class Multi(NamedTuple):
    """A transaction: all of its parts, or none. Its reply is that of the last part."""

    parts: tuple[Part, ...]


class Connected(NamedTuple):
    """Wait until there is a connection again. It changes nothing, and its reply is never lost."""


Part: TypeAlias = "Create | Put | Check | Delete"
Request: TypeAlias = "Exists | Get | Multi | Connected"
