"""Coverage works out the truth of a condition once, and leaves values as they are."""

import pytest

from wheelproof.python import ExploreError
from wheelproof.python.style.branches import NAME, Branches


class Counted:
    """True or false, with the number of looks."""

    def __init__(self, truth):
        self.truth, self.looks = truth, 0

    def __bool__(self):
        self.looks += 1
        return self.truth


class Sized:
    def __init__(self, truth):
        self.truth, self.looks = truth, 0

    def __len__(self):
        self.looks += 1
        return int(self.truth)


TESTS = {
    "if": "    if a:\n        return 1\n    return 0",
    "while": "    while a:\n        return 1\n    return 0",
    "expression": "    return 1 if a else 0",
    "not": "    return 1 if not (not a) else 0",
    "filter": "    return sum([1 for _ in [0] if a])",
    "operand": "    if a and True or False:\n        return 1\n    return 0",
    "case": "    match 0:\n        case 0 if a:\n            return 1\n    return 0",
}


def compiled(source):
    branches = Branches()
    namespace = {NAME: branches.note}
    exec(branches.compile_file("impl.x", source, "x.py"), namespace)
    return branches, namespace["f"]


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("kind", [Counted, Sized])
@pytest.mark.parametrize("truth", [True, False])
def test_the_truth_of_a_condition_is_worked_out_once(test, kind, truth):
    _, function = compiled(f"def f(a):\n{test}\n")
    value = kind(truth)
    assert function(value) == int(truth)
    assert value.looks == 1


def test_an_operand_whose_value_is_used_is_kept():
    branches, function = compiled("def f(a, b):\n    return a or b\n")
    assert function([1], "b") == [1] and function([], "b") == "b"
    assert {"impl.x: f: a is true", "impl.x: f: a is false"} <= branches.collect()


@pytest.mark.parametrize("kind", [Counted, Sized])
def test_an_operand_that_would_be_worked_out_twice_is_refused(kind):
    _, function = compiled("def f(a, b):\n    return a or b\n")
    with pytest.raises(ExploreError, match=rf"the truth of a {kind.__name__} is worked out by"):
        function(kind(True), 1)
