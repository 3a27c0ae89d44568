"""The second text of a condition, in SMT-LIB."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wheelproof.prove.second.nodes import Node

_PLAIN = re.compile(r"[A-Za-z~!@$%^&*_\-+=<>.?/][A-Za-z0-9~!@$%^&*_\-+=<>.?/]*")


def name(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else f"|{text}|"


def render(root: Node) -> str:
    """A formula. A node that occurs in it more than once has a name of its own, by ``let``."""
    uses: dict[Node, int] = {}
    order = []
    for node in _scope(root):
        order.append(node)
        for argument in node.arguments if not node.bound else ():
            uses[argument] = uses.get(argument, 0) + 1
    texts: dict[Node, str] = {}
    lets: list[str] = []
    for node in order:
        formula = _text(node, texts)
        if node is not root and node.arguments and uses.get(node, 0) > 1:
            lets.append(f"(let ((?{len(lets)} {formula}))")
            formula = f"?{len(lets) - 1}"
        texts[node] = formula
    return "\n".join([*lets, texts[root]]) + ")" * len(lets)


def _text(node: Node, texts: dict[Node, str]) -> str:
    if node.kind == "number":
        return node.head if node.head[0] != "-" else f"(- {node.head[1:]})"
    head = node.head if node.kind == "" else name(node.head)
    if node.bound:
        pairs = " ".join(
            f"({name(variable.head)} {name(variable.sort)})" for variable in node.bound
        )
        return f"({head} ({pairs}) {render(node.arguments[0])})"
    if not node.arguments:
        return head
    return f"({' '.join([head, *(texts[argument] for argument in node.arguments)])})"


def _scope(root: Node) -> Iterable[Node]:
    """The nodes below the root that are in no quantifier below it."""
    nodes: set[Node] = set()
    waiting = [(root, False)]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            yield node
        elif node not in nodes:
            nodes.add(node)
            waiting.append((node, True))
            if not node.bound:
                waiting += [(argument, False) for argument in reversed(node.arguments)]
