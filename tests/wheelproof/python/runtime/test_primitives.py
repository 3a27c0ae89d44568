"""Controlled primitives behave as the production ones do, seen by one thread."""

import pytest

from impl import runtime as production
from wheelproof.python import RuleBroken
from wheelproof.python.runtime import registry
from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.primitives import primitive, primitive_names, runtime_module


@pytest.fixture
def controlled():
    return runtime_module(Scheduler())


@pytest.mark.parametrize("side", ["production", "controlled"])
def test_atomic(side, controlled):
    module = production if side == "production" else controlled
    number = module.Atomic(5)
    assert number.add_and_get(-2) == 3 and number.get() == 3
    assert number.get_and_set(1000) == 3
    assert number.compare_and_set(int("1000"), 7) and number.get() == 7
    assert not number.compare_and_set(8, 9)
    one, other = [], []
    reference = module.Atomic(one)
    assert not reference.compare_and_set(other, None)  # equal is not enough
    assert reference.compare_and_set(one, None) and reference.get() is None
    flag = module.Atomic(True)
    assert not flag.compare_and_set(1, 2)
    flag.set(False)
    assert flag.get() is False


@pytest.mark.parametrize("name", ["Monitor", "Lock", "NoMonitor"])
def test_locks_are_context_managers_with_acquire_and_release(name, controlled):
    for module in (production, controlled):
        lock = getattr(module, name)()
        with lock:
            pass
        assert lock.acquire(blocking=False)
        lock.release()
        with pytest.raises(KeyError), lock:
            raise KeyError


def test_only_the_monitor_is_reentrant(controlled):
    scheduler = Scheduler()
    module = runtime_module(scheduler)
    monitor, lock, none = module.Monitor(), module.Lock(), module.NoMonitor()
    one, two = object(), object()
    monitor.owner = lock.owner = one
    assert monitor.admits(one) and not monitor.admits(two) and not lock.admits(one)
    assert (none.owner, none.depth) == (None, 0)


def test_a_further_primitive_can_be_registered():
    @primitive
    class Latch(registry.Primitive):
        __slots__ = ("open",)

    try:
        one, other = Scheduler(), Scheduler()
        module = runtime_module(one)
        assert "Latch" in primitive_names() and module.Latch.__name__ == "Latch"
        assert module.Latch.scheduler is one and module.Latch.siblings["Atomic"] is module.Atomic
        assert runtime_module(other).Latch.scheduler is other
        assert registry.of_one_scheduler(module.Latch.__mro__[:-1]) == [module.Latch]
    finally:
        del registry._REGISTRY["Latch"]


@pytest.mark.parametrize(
    ("makes", "kind"),
    [
        ("tuple([0])", "tuple"),
        ("frozenset([0])", "frozenset"),
        ("float('1.5')", "float"),
        ("bytes([200, 201])", "bytes"),
        ("''.join(['some', ' ', 'text'])", "str"),
        ("range(1, 2)", "range"),
        ("(lambda x: x.append)([])", ""),
        ("[0].copy()", ""),
        ("int('1000')", ""),
        ("'some text'", ""),
        ("()", ""),
    ],
)
def test_compare_and_set_of_values_without_identity_is_refused(cell, makes, kind):
    claim = "        return self.claimed.compare_and_set(False, True)  # cas C1"
    implementation = cell.planted(
        ("self.claimed = Atomic(False)", f"self.claimed = Atomic({makes})"),
        (claim, f"        {claim.replace('False', makes).strip()}"),
    )
    run = implementation.begin({"threads": {"a": [["claim"]]}})
    if kind:
        with pytest.raises(RuleBroken, match=f"two equal values of type {kind}, and whether"):
            run.step(0)
    else:
        run.step(0)
    run.end()
