"""Objects that end: after a run, or in one, where weak references and finalizers show it."""

import weakref

import pytest

from tests.wheelproof.plain.started import run
from wheelproof.plain import exploration
from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import explore_program


class Owner:
    """Counts how many of it have ended."""

    ended = 0

    def __init__(self, circle):
        self.itself = self if circle else None
        self.count = 0

    def add(self):
        self.count += 1

    def __del__(self):
        Owner.ended += 1


def call(function):
    function()


def called(circle):
    assert Owner.ended == 0, "an owner of an earlier run has ended"
    owner = Owner(circle)
    run(lambda: call(owner.add), lambda: call(owner.add))
    assert Owner.ended == 0, "an owner of an earlier run has ended in this one"


def method_is_called_elsewhere():
    called(circle=False)


def owner_is_in_a_circle():
    called(circle=True)


@pytest.mark.parametrize("collected", [1, 500])
@pytest.mark.parametrize("program", [method_is_called_elsewhere, owner_is_in_a_circle])
def test_a_run_has_the_finalizers_of_its_own_objects_alone(program, collected, monkeypatch):
    monkeypatch.setattr(exploration, "COLLECTED", collected)
    found = explore_program(program)
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)


# -- objects that end in a run


class Value:
    """Can be referred to weakly."""

    number = 1


def shows_both(look):
    """A program that fails where a thread looks before another one ends an object, or after."""

    def program(expected):
        values, answers = [Value()], []
        reference = look(values[0])
        run(lambda: answers.append(reference()), values.clear)
        assert answers == [expected]

    return program


def of_proxy(value):
    value.number = 2  # an access before there is a weak reference
    proxy = weakref.proxy(value)

    def is_there():
        try:
            return proxy.number == 2
        except ReferenceError:
            return False

    return is_there


def of_reference(value):
    reference = weakref.ref(value)
    return lambda: reference() is not None


def of_dictionary(value):
    values = weakref.WeakValueDictionary(key=value)
    return lambda: "key" in values


def of_set(value):
    values = weakref.WeakSet()
    values.add(value)
    return lambda: len(values) == 1


LOOKS = [of_proxy, of_reference, of_dictionary, of_set]


@pytest.mark.parametrize("expected", [True, False])
@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.__name__)
def test_an_object_ends_before_and_after_a_look(look, expected):
    found = explore_program(lambda: shows_both(look)(expected))
    assert found.answer is Answer.BUG and "Assertion" in str(found.failure), found


def ended_by(step):
    """A program with a thread that refers to an object weakly, drops it, and one that looks."""

    def program():
        references, answers = [], []

        def look():
            if references:
                answers.append(references[0]() is None)

        run(lambda: step(references), look)
        assert answers in ([], [True])

    return program


def deleted(references):
    value = Value()
    references.append(weakref.ref(value))
    del value


def replaced(references):
    value = Value()
    references.append(weakref.ref(value))
    value = None
    assert value is None


def dropped_by_an_attribute(references):
    holder = Value()
    holder.value = Value()
    references.append(weakref.ref(holder.value))
    holder.value = None


@pytest.mark.parametrize(
    "step", [deleted, replaced, dropped_by_an_attribute], ids=lambda step: step.__name__
)
def test_the_statement_that_ends_an_object_is_a_step(step):
    found = explore_program(ended_by(step))
    assert found.answer is Answer.BUG and "Assertion" in str(found.failure), found


def test_a_statement_keeps_no_object():
    ended = []

    class Ending:
        def __del__(self):
            ended.append(self.name)

    def program():
        first, second = Value(), Value()
        first.value = Ending()
        first.value.name = "attribute"
        second.value, first.other = first, second
        first.value = None
        assert ended == ["attribute"], "the value of an assignment is kept"
        ended.clear()
        run(lambda: ended.append(1), lambda: ended.append(2))

    found = explore_program(program)
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)
