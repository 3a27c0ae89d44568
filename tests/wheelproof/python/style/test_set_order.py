"""The order of a set decides nothing: what goes through one without sorted is refused."""

from __future__ import annotations

import pytest

from wheelproof.python import check

HEAD = """
from collections.abc import Set
from impl.runtime import Plain

KINDS = frozenset({1, 2})

class C:
    __slots__ = ("live", "isr", "names")
    live: Plain[frozenset[int]]
    names: tuple[str, ...]

    def __init__(self, isr):
        self.isr = set(isr)

    def chosen(self) -> frozenset[int]:
        return self.live

    def f(self, given: Set[int], maybe: frozenset[int] | None, some, key):
"""


def found(body: str) -> set[str]:
    text = HEAD + "".join(f"        {line}\n" for line in body.splitlines())
    return {finding.rule for finding in check({"impl/c.py": text})}


@pytest.mark.parametrize(
    "body",
    [
        "for x in self.live:\n    return x",
        "for x in {1, 2}:\n    return x",
        "return next(iter(self.live))",
        "return list(self.isr)",
        "return tuple(set(some))",
        "return self.isr.pop()",
        "first, second = self.live",
        "first, *rest = self.live",
        "return [x for x in given]",
        "return {x: 1 for x in maybe}",
        "return (x for x in KINDS)",
        "return [*self.live]",
        "return key(*given)",
        "found = given - {3}\nreturn list(found)",
        "found = set()\nfound |= given\nfor x in found:\n    return x",
        "if (found := frozenset(some)):\n    return list(found)",
        "return list(self.chosen())",
        "return list(given.union(some))",
        "return list(some.keys() & given)",
        "return min(given, key=key)",
        "return max((x for x in given), key=key)",
        "return enumerate(given)",
        "return ''.join(given)",
        "return f'{given}'",
        "yield from given",
        "def g():\n    return list(given)\nreturn g",
        "return lambda: list(given)",
        "return sorted([list(given)])",
    ],
)
def test_the_order_of_a_set_is_refused(body):
    assert found(body) == {"set-order"}


@pytest.mark.parametrize(
    "body",
    [
        "for x in sorted(self.live):\n    return x",
        "return sorted(x + 1 for x in given)",
        "return any(x for x in given), len(given), 3 in given",
        "return frozenset(x for x in given), {x for x in given}",
        "return min([1, *(x for x in self.isr)]), sum(given)",
        "return frozenset(map(str, given))",
        "return given.union(x for x in KINDS)",
        "(only,) = given\nreturn only",
        "found = set(some)\nfound = sorted(found)\nreturn list(found)",
        "for x in self.names:\n    return x",
        "return tuple(x for x in some if x in given)",
        "return some.pop(), self.names.copy()",
        "given = [1]\nreturn list(given)",
    ],
)
def test_where_no_order_decides_is_allowed(body):
    assert found(body) == set()


@pytest.mark.parametrize(
    "call",
    [
        *("iter", "list", "tuple", "enumerate", "dict", "str", "repr", "deque", "cycle", "chain"),
        *("from_iterable", "accumulate", "pairwise", "permutations", "product", "fromkeys"),
        *("zip({}, some)", "map(str, {})", "filter(None, {})", "reduce(key, {})"),
        *("dropwhile(key, {})", "takewhile(key, {})", "islice({}, 2)", "groupby({})"),
        *("combinations({}, 2)", "', '.join({})", "some.extend({})"),
    ],
)
@pytest.mark.parametrize("values", ["given", "map(str, given)", "filter(None, given)"])
def test_a_function_that_goes_through_a_set_in_its_order_is_refused(call, values):
    call = call if "{}" in call else f"{call}({{}})"
    assert found(f"return {call.format(values)}") == {"set-order"}


@pytest.mark.parametrize(
    "call", ["sorted", "set", "frozenset", "len", "sum", "min", "max", "any", "all"]
)
@pytest.mark.parametrize("values", ["given", "map(str, given)", "list(given)", "tuple(given)"])
def test_a_function_whose_result_no_order_changes_is_allowed(call, values):
    assert found(f"return {call}({values})") == set()


@pytest.mark.parametrize(
    "name",
    [
        *("union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset"),
        *("isdisjoint", "intersection_update", "difference_update"),
    ],
)
def test_a_method_of_a_set_takes_the_elements_of_another_in_any_order(name):
    assert found(f"return self.isr.{name}(list(given))") == set()


def test_a_constant_and_a_field_of_another_file_are_known():
    first = "KINDS = frozenset((1, 2))\n\nclass C:\n    __slots__ = ('live',)\n    live: set[int]\n"
    second = "from impl.c import KINDS\n\ndef f(c):\n    return list({})\n"
    for name in ("KINDS", "c.live"):
        (finding,) = check({"impl/c.py": first, "impl/d.py": second.format(name)})
        assert (finding.file, finding.line, finding.rule) == ("impl/d.py", 4, "set-order")
    other = first + "\nclass D:\n    __slots__ = ('live',)\n    live: tuple[int, ...]\n"
    assert check({"impl/c.py": other, "impl/d.py": second.format("c.live")}) == []


def test_what_no_thread_runs_in_a_harness_may_have_an_order():
    harness = "class Harness:\n    def {}(self):\n        return list({{1, 2}})\n"
    assert check({"harness/c.py": harness.format("__init__")}) == []
    (finding,) = check({"harness/c.py": harness.format("f")})
    assert finding.rule == "set-order"
