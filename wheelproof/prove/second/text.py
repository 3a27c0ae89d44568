"""The second text of a condition, in SMT-LIB."""

from __future__ import annotations

import re

from wheelproof.prove.second.nodes import Node, within

_PLAIN = re.compile(r"[A-Za-z~!@$%^&*_\-+=<>.?/][A-Za-z0-9~!@$%^&*_\-+=<>.?/]*")


def name(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else f"|{text}|"


def render(root: Node) -> str:
    """A formula. A node that occurs in it more than once has a name of its own, by ``let``."""
    uses: dict[Node, int] = {}
    order = []
    # The nodes below the root that are in no quantifier below it.
    for node in within([root], lambda node: not node.bound):
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
