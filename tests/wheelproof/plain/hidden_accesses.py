"""Programs whose threads meet at an attribute in C, in a context, or in text that is run."""

import ast
import collections
import contextlib
import contextvars
import ctypes
import dataclasses
import decimal
import operator
import threading
import types

from tests.wheelproof.plain.started import run

count = 0


class Box:
    """Has a count."""

    def __init__(self):
        self.count = 0


class Other(Box):
    """Another class of boxes."""


def counted(holder, name, value=lambda number: number, number=lambda value: value):
    def add():
        setattr(holder, name, value(number(getattr(holder, name)) + 1))

    return add


def arguments_of_an_exception():
    error = ValueError(0)
    add = counted(error, "args", lambda number: (number,), operator.itemgetter(0))
    run(add, add)
    assert error.args == (2,)


def arguments_that_a_getter_reads():
    error, arguments = ValueError(0), operator.attrgetter("args")

    def add():
        error.args = (arguments(error)[0] + 1,)

    run(add, add)
    assert error.args == (2,)


def cause_of_an_exception():
    error = ValueError()

    def give():
        if error.__cause__ is None:
            error.__cause__ = cause = KeyError()
            assert error.__cause__ is cause

    run(give, give)


def note_of_an_exception():
    error = ValueError()

    def note():
        if not hasattr(error, "__notes__"):
            error.add_note("once")

    run(note, note)
    assert error.__notes__ == ["once"]


def content_of_a_cell():
    cell = types.CellType(0)
    add = counted(cell, "cell_contents")
    run(add, add)
    assert cell.cell_contents == 2


def default_of_a_function():
    def function(number=0):
        return number

    add = counted(function, "__defaults__", lambda number: (number,), operator.itemgetter(0))
    run(add, add)
    assert function() == 2


def class_of_an_object():
    box = Box()

    def change():
        box.__class__ = Other if box.__class__ is Box else Box

    run(change, change)
    assert type(box) is Box


def precision_of_a_context():
    context = decimal.Context(prec=5)
    add = counted(context, "prec")
    run(add, add)
    assert context.prec == 7


def attribute_of_a_slot_s_descriptor():
    class Slotted:
        __slots__ = ("count",)

    slotted = Slotted()
    slotted.count = 0
    read, write = Slotted.count.__get__, Slotted.count.__set__

    def add():
        write(slotted, read(slotted) + 1)

    run(add, add)
    assert slotted.count == 2


def item_of_an_array_in_c():
    numbers = (ctypes.c_int * 1)()

    def add():
        numbers[0] = numbers[0] + 1

    run(add, add)
    assert numbers[0] == 2


def comparison_that_text_defines():
    pair_class = dataclasses.make_dataclass("Pair", ["left", "right"])
    pair, equal = pair_class(0, 0), []

    def change():
        pair.left = 1
        pair.right = 1

    run(change, lambda: equal.append(pair == pair_class(1, 0)))
    assert equal == [False]


def entering(guard):
    context, variable = contextvars.copy_context(), contextvars.ContextVar("count", default=0)

    def add():
        variable.set(variable.get() + 1)

    def enter():
        with guard:
            context.run(add)

    run(enter, enter)
    assert context[variable] == 2


def context_entered_by_two_threads():
    entering(contextlib.nullcontext())


def context_entered_under_a_lock():
    entering(threading.Lock())


def by_text(add):
    box = Box()
    run(lambda: add(box), lambda: add(box))
    assert box.count == 2


def attribute_that_executed_text_adds_to():
    by_text(lambda box: exec("box.count = box.count + 1", {"box": box}))


def attribute_that_evaluated_text_reads():
    def add(box):
        box.count = eval("box.count + 1")

    by_text(add)


def attribute_that_compiled_text_adds_to():
    code = compile("box.count += 1", "text", "exec")
    by_text(lambda box: exec(code, {"box": box}))


def attribute_that_a_lambda_of_text_adds_to():
    def add(box):
        eval("lambda box: setattr(box, 'count', box.count + 1)")(box)

    by_text(add)


def attribute_that_text_adds_to_under_a_lock():
    lock = threading.Lock()

    def add(box):
        with lock:
            exec("box.count = box.count + 1", {"box": box})

    by_text(add)


def attribute_that_a_tree_adds_to_under_a_lock():
    lock = threading.Lock()
    tree = ast.parse("box.count = int(f'{str(box.count + 1)}')")
    string = tree.body[0].value.args[0]
    string.values = [part.value for part in string.values]  # compile takes it, no source has it
    code = compile(tree, "tree", "exec")

    def add(box):
        with lock:
            exec(code, {"box": box})

    by_text(add)


def classes_that_text_makes():
    seen = []

    def make():
        pair = collections.namedtuple("pair", ["left", "right"])(1, 2)
        value = dataclasses.make_dataclass("Made", ["value"])(3)
        seen.append(pair.left + value.value)

    run(make, lambda: seen.append(0))
    assert sum(seen) == 4


def variable_that_text_declares_global():
    global count
    count = 0

    def add():
        exec("global count; count = count + 1")

    run(add, add)
    assert count == 2


class Items:
    """Has a list, and a method that gives an equal one."""

    def __init__(self):
        self.items, self.lock = [1], threading.Lock()

    def equal(self):
        with self.lock:
            return [1]


def compared(differs):
    holder, answers = Items(), []

    def change():
        with holder.lock:
            holder.items[0] = 2

    run(lambda: answers.append(differs(holder)), change)
    assert answers == [False]


def middle_of_a_chain_of_comparisons():
    compared(lambda holder: [1] == holder.items != holder.equal())


def chain_of_four_comparisons():
    compared(lambda holder: 0 < 1 in [1] == holder.items != holder.equal())


def chain_in_a_comprehension():
    compared(lambda holder: sum([[1] == items != holder.equal() for items in [holder.items]]) > 0)


def chain_in_a_generator():
    compared(lambda holder: any([1] == items != holder.equal() for items in [holder.items]))


BUGS = [
    arguments_of_an_exception,
    arguments_that_a_getter_reads,
    cause_of_an_exception,
    note_of_an_exception,
    content_of_a_cell,
    default_of_a_function,
    class_of_an_object,
    precision_of_a_context,
    attribute_of_a_slot_s_descriptor,
    item_of_an_array_in_c,
    comparison_that_text_defines,
    context_entered_by_two_threads,
    attribute_that_executed_text_adds_to,
    attribute_that_evaluated_text_reads,
    middle_of_a_chain_of_comparisons,
    chain_of_four_comparisons,
    chain_in_a_comprehension,
    chain_in_a_generator,
    attribute_that_compiled_text_adds_to,
    attribute_that_a_lambda_of_text_adds_to,
]

EXHAUSTED = [
    context_entered_under_a_lock,
    attribute_that_text_adds_to_under_a_lock,
    attribute_that_a_tree_adds_to_under_a_lock,
    classes_that_text_makes,
]

UNSEEN = [variable_that_text_declares_global]
