"""Functions on symbols: every path with its condition, and no path that is not there."""

import pytest
import z3

from wheelproof.prove import solvers
from wheelproof.prove.arithmetic import meaning
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.symbolic import PATHS, Symbol, paths, run_on, term

x, y = z3.Ints("x y")


def mixed(a, b):
    """Operators and branches of all kinds."""
    if a < 3 and not b >= 7:
        return a * 2 + 1 - b // 3 % 4
    return b if a == b else 5 - a if a != 4 else -1 + 2 * a


def equal(formula, value, **numbers) -> bool:
    """Whether a term has the value that Python computes, by the solver."""
    fixed = [z3.Int(name) == number for name, number in numbers.items()]
    return solvers.model(solvers.smt_lib([*fixed, meaning(formula == value)]))[0] == "sat"


def test_the_formula_is_what_python_computes():
    joined = run_on(mixed, x, y)
    for a in (-2, -1, 0, 2, 3, 4, 6):  # each branch at its bounds
        for b in (-2, -1, 0, 3, 5, 6, 7, 8):
            assert equal(joined, mixed(a, b), x=a, y=b), (a, b)
            assert not equal(joined, mixed(a, b) + 1, x=a, y=b)


def test_paths_exclude_each_other_and_leave_nothing_out():
    found = [condition for condition, _ in paths(lambda: mixed(Symbol(x), Symbol(y)))]
    assert len(found) == 7
    assert solvers.refute(solvers.smt_lib([z3.Not(z3.Or(*found))]), 0).verdict == "unsat"
    for one in range(len(found)):
        for other in range(one):
            assert solvers.refute(solvers.smt_lib([found[one], found[other]]), 0).verdict == "unsat"


def test_a_result_may_be_a_truth_or_several_numbers():
    assert str(run_on(lambda a, b: a < b, x, y)) == "x < y"
    first, second = run_on(lambda a, b: (a, b) if a < b else (b, a), x, y)
    assert equal(first, 1, x=4, y=1) and equal(second, 4, x=4, y=1)


def truth(a, b):
    """A truth value on each of four paths, two of them without a symbol."""
    if a < 2:
        return b < a
    if a < 4:
        return True
    return False if b == a else b > 3


def test_a_truth_of_several_paths_is_that_of_each_path():
    joined = run_on(truth, x, y)
    both = run_on(lambda a, b: (truth(a, b), truth(b, a)), x, y)
    for a, b in ((1, 0), (1, 1), (2, 5), (3, 0), (4, 4), (5, 3), (5, 4)):  # each path at its bounds
        assert equal(joined, truth(a, b), x=a, y=b), (a, b)
        assert not equal(joined, not truth(a, b), x=a, y=b), (a, b)
        assert equal(both[0], truth(a, b), x=a, y=b) and equal(both[1], truth(b, a), x=a, y=b)


def test_on_numbers_the_function_itself_is_called():
    assert run_on(mixed, 1, 2) == mixed(1, 2)


def test_a_loop_over_a_symbol_is_given_up():
    def endless(a):
        while a > 0:
            a = a - 1
        return a

    with pytest.raises(ProofError, match=f"more than {PATHS} decisions"):
        run_on(endless, x)


def test_what_has_no_meaning_is_refused():
    with pytest.raises(TypeError):
        run_on(lambda a: a / 2, x)
    with pytest.raises(TypeError):
        run_on(lambda a: [0, 1][a], x)
    with pytest.raises(ProofError, match="neither a number nor a symbol"):
        run_on(lambda a: "text", x)
    with pytest.raises(ProofError, match="outside `paths`"):
        bool(Symbol(x) < 3)
    assert term(True).eq(z3.BoolVal(True))
