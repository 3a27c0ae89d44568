"""A harness without ``shared``: fields and locks are the variables of their names."""

from __future__ import annotations

import threading
from collections import deque
from types import SimpleNamespace

import pytest
from wheelproof_runtime import Plain, Volatile

from tests.wheelproof.draft import samples
from wheelproof import draft, mapping
from wheelproof.errors import UsageError


class Lock:
    """As under control: a lock that shows its owner."""

    def __init__(self, owner=None):
        self.owner = owner


class Condition:
    def __init__(self, lock, asleep=(), tickets=()):
        self.lock, self.asleep, self.tickets = lock, asleep, tickets


class Base:
    __slots__ = ("_jobs",)
    _jobs: Plain[deque[int]]  # a mark is never evaluated


class Subject(Base):
    __slots__ = ("__parts", "_changed", "_lock", "capacity", "pc")
    __parts: Volatile[dict[str, int]]
    pc: Plain[int | None]

    def __init__(self, lock, changed):
        self._lock, self._changed, self.capacity = lock, changed, object()
        self._jobs, self.__parts, self.pc = deque([1, [2, {3}]]), {"b": 1, "a": 2}, None


def shared(*objects):
    return mapping.shared(SimpleNamespace(names=dict(enumerate(objects))))


ANNE, BOB = SimpleNamespace(name="anne"), SimpleNamespace(name="bob")


def test_fields_and_primitives_are_variables_of_their_names():
    lock = Lock(ANNE)
    assert shared(Subject(lock, Condition(lock, (BOB,), ((BOB, ANNE),)))) == {
        "owner": ("anne",),
        "asleep": (frozenset({"bob"}),),
        "tickets": (frozenset({"anne", "bob"}),),
        "jobs": (1, (2, frozenset({3}))),
        "Subject_parts": (("b", 1), ("a", 2)),
        "pc_": (None,),
    }


def test_two_locks_and_two_conditions_have_their_attributes_in_front():
    variables = shared(Subject(Lock(), Condition(Lock(BOB))))
    assert variables["lock_owner"] == (None,) and variables["changed_owner"] == ("bob",)
    assert variables["asleep"] == (frozenset(),)
    lock = Lock()
    variables = shared(Subject(Condition(lock), Condition(lock)))
    assert {"lock_asleep", "changed_asleep", "owner"} < variables.keys()


def test_production_primitives_show_no_thread():
    lock = threading.Lock()

    class AnyWaiter(threading.Condition):
        pass

    with lock:
        variables = shared(Subject(lock, AnyWaiter(lock)))
    assert variables["asleep"] == (frozenset(),) and variables["tickets"] == ()
    assert variables["owner"] == (None,)


def test_field_that_holds_an_object_is_refused_by_its_name():
    subject = Subject(Lock(), None)
    subject._jobs = [object()]
    with pytest.raises(UsageError, match=r"Subject._jobs holds an object of class object.*Define"):
        shared(subject)


def test_two_objects_with_one_field_are_refused():
    with pytest.raises(UsageError, match=r"Two fields .* are the variable jobs_?\."):
        shared(Subject(None, None), Subject(None, None))


def test_own_mapping_of_a_harness_goes_first():
    own = SimpleNamespace(shared=lambda harness: {"x": (1,)})
    assert mapping.shared_of(own)(None) == {"x": (1,)}
    assert mapping.shared_of(SimpleNamespace()) is mapping.shared


@pytest.mark.parametrize("text, name", [(samples.POOL, "Pool"), (samples.BUFFER, "BoundedBuffer")])
def test_draft_gives_its_variables_the_same_names(tmp_path, text, name):
    (tmp_path / "given.py").write_text(text, encoding="utf-8")
    subject = draft.draft(tmp_path / "given.py", name, "given", "Given").subject
    for attribute, item in subject.fields.items():
        assert item.variable == mapping.fresh(mapping.word(attribute), mapping.RESERVED)
