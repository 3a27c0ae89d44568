"""The nodes of a function: those that run when it runs."""

from __future__ import annotations

import ast

import pytest

from wheelproof.python.style.suspension import own_nodes


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("a(b)", "a b"),
        ("return [a for b in c]", "a b c"),
        ("@a\ndef g():\n    b", "a"),
        ("@a(b)\nasync def g():\n    c", "a b"),
        ("def g(x=a):\n    b", "a"),
        ("def g(*, x=a, y):\n    b", "a"),
        ("def g(x: a) -> b:\n    c", ""),
        ("lambda x=a: b", "a"),
        ("lambda *, x=a: b", "a"),
        ("@a\nclass C(b, metaclass=c):\n    d = e", "a b c"),
        ("def g(x=a):\n    def h(y=b):\n        c", "a"),
        ("if a:\n    def g(x=b):\n        c", "a b"),
    ],
)
def test_a_nested_definition_has_the_nodes_that_run_where_it_stands(body, names):
    text = "".join(f"    {line}\n" for line in body.splitlines())
    (function,) = ast.parse(f"def f():\n{text}").body
    found = {node.id for node in own_nodes(function) if isinstance(node, ast.Name)}
    assert found == set(names.split())
