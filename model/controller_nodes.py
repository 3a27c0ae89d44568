"""What the nodes of ``spec/Controller.tla`` have."""

from __future__ import annotations

from typing import NamedTuple

from model.controller_properties import NONE, UNREADABLE


class Node(NamedTuple):
    """The node /controller: which broker has created it, and in which session."""

    id: str = NONE
    session: int = 0


class Epoch(NamedTuple):
    """The node /controller_epoch."""

    value: int = 0
    version: int = 0


class State(NamedTuple):
    """A partition's node.

    ``by``: the epoch of the controller that wrote it; ``isr``: how often its ISR has changed.
    """

    epoch: int = 0
    by: int = 0
    isr: int = 0
    version: int = 0


class Tree(NamedTuple):
    """What a server has applied. ``missed``: the first event of /controller since then."""

    node: Node
    epoch: Epoch
    part: State
    missed: str = NONE


VACANT, NO_EPOCH, NO_STATE = Node(), Epoch(), State()
NO_EPOCH_NODE = Epoch(0, -1)
"""There is no node /controller_epoch."""


def written(read: State, own: Epoch) -> State:
    """What a controller writes over the state that it knows."""
    return State(read.epoch + 1, own.value, read.isr, read.version + 1)


def nameless(node: Node) -> bool:
    """The node names no broker."""
    return node.id in (NONE, UNREADABLE)
