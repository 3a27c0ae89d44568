"""Programs whose threads meet in iterators, objects in C, fakes, or state of the process."""

import abc
import codecs
import contextlib
import csv
import ctypes
import decimal
import functools
import gc
import hmac
import html.parser
import io
import itertools
import json
import logging
import os
import re
import select
import shlex
import socket
import struct
import sys
import tempfile
import threading
import warnings
import xml.etree.ElementTree as ElementTree
import zoneinfo
from unittest import mock

from tests.wheelproof.plain.started import run


def first_of_two(iterator, expected):
    values = []
    run(lambda: values.append(("a", next(iterator))), lambda: values.append(("b", next(iterator))))
    assert dict(values) == expected


def iterator_of_a_list():
    first_of_two(iter([1, 2]), {"a": 1, "b": 2})


def iterator_of_a_tuple_by_its_method():
    first_of_two((1, 2).__iter__(), {"a": 1, "b": 2})


def iterator_of_a_dictionary_backwards():
    first_of_two(reversed({1: 1, 2: 2}), {"a": 2, "b": 1})


def iterator_that_a_loop_goes_on_with():
    numbers, values = iter(range(4)), []

    def take():
        for number in numbers:
            values.append(number)
            break

    run(take, lambda: values.append(list(numbers)))
    assert values == [0, [1, 2, 3]]


def precision_of_a_context_in_a_method():
    context, values = decimal.Context(prec=5), []

    def divide():
        context.prec = 3
        values.append(str(context.divide(decimal.Decimal(1), decimal.Decimal(3))))

    run(divide, lambda: setattr(context, "prec", 6))
    assert values == ["0.333"]


class Inner(ctypes.Structure):
    _fields_ = (("count", ctypes.c_int),)


class Outer(ctypes.Structure):
    _fields_ = (("inner", Inner),)


def field_of_a_structure_in_c():
    outer = Outer()

    def add():
        outer.inner.count += 1

    run(add, add)
    assert outer.inner.count == 2


def pointer_to_a_number_in_c():
    number = ctypes.c_int(0)
    pointer = ctypes.pointer(number)

    def add():
        pointer.contents.value += 1

    run(add, lambda: pointer.__setitem__(0, pointer[0] + 1))
    assert number.value == 2


def elements_of_a_tree_in_c():
    root = ElementTree.Element("root")
    names = ("a", "b")
    run(*(functools.partial(ElementTree.SubElement, root, name) for name in names))
    assert [element.tag for element in root] == ["a", "b"]


def two_writers_on_one_text():
    text = io.StringIO()
    writers = [csv.writer(text), csv.writer(text)]
    run(lambda: writers[0].writerow([1]), lambda: writers[1].writerow([2]))
    assert text.getvalue() == "1\r\n2\r\n"


def name_of_a_thread():
    thread = threading.current_thread()
    thread.name = "0"

    def add():
        thread.name = str(int(thread.name) + 1)

    run(add, add)
    assert thread.name == "2"


def calls_of_a_fake():
    fake = mock.Mock()
    run(lambda: fake(1), lambda: fake(2))
    assert fake.call_args == mock.call(2)


def calls_of_parts_of_a_fake():
    fake = mock.Mock()
    run(lambda: fake.a(1), lambda: fake.b(2))
    assert fake.mock_calls == [mock.call.a(1), mock.call.b(2)]


def look_at_a_fake():
    fake, answers = mock.Mock(), []
    run(fake, lambda: answers.append(fake.called))
    assert answers == [True]


def class_that_is_registered(check):
    class Other:
        pass

    base, answers = abc.ABCMeta("Base", (), {}), []
    run(lambda: base.register(Other), lambda: answers.append(check(Other, base)))
    assert answers == [True]


def subclass_that_is_registered():
    class_that_is_registered(issubclass)


def instance_of_a_class_that_is_registered():
    class_that_is_registered(lambda cls, base: isinstance(cls(), base))


def variable_of_the_environment():
    os.environ["WHEELPROOF_TEST"] = "0"

    def add():
        os.environ["WHEELPROOF_TEST"] = str(int(os.environ["WHEELPROOF_TEST"]) + 1)

    run(add, add)
    assert os.environ.pop("WHEELPROOF_TEST") == "2"


def variable_that_a_method_reads():
    os.environ["WHEELPROOF_TEST"] = "0"
    answers = []

    def change():
        os.environ["WHEELPROOF_TEST"] = "1"

    run(lambda: answers.append(os.environ.get("WHEELPROOF_TEST")), change)
    assert answers == ["0"]


def variable_that_a_function_reads():
    os.environ["WHEELPROOF_TEST"] = "0"
    answers = []

    def change():
        os.environ["WHEELPROOF_TEST"] = "1"

    run(lambda: answers.append(os.getenv("WHEELPROOF_TEST")), change)
    assert answers == ["0"]


BUGS = [
    iterator_of_a_list,
    iterator_of_a_tuple_by_its_method,
    iterator_of_a_dictionary_backwards,
    iterator_that_a_loop_goes_on_with,
    precision_of_a_context_in_a_method,
    field_of_a_structure_in_c,
    pointer_to_a_number_in_c,
    elements_of_a_tree_in_c,
    two_writers_on_one_text,
    name_of_a_thread,
    calls_of_a_fake,
    calls_of_parts_of_a_fake,
    look_at_a_fake,
    subclass_that_is_registered,
    instance_of_a_class_that_is_registered,
    variable_of_the_environment,
    variable_that_a_method_reads,
    variable_that_a_function_reads,
]


def steps(make, *values):
    """A program whose threads call one method, each with a value. ``make`` gives the method."""

    def program():
        target = make()
        run(*(functools.partial(target, value) for value in values))

    return program


def level_of_a_logger():
    logger, levels = logging.getLogger("wheelproof.test"), []
    run(lambda: logger.setLevel(10), lambda: levels.append(logger.level))


def handlers_of_a_logger():
    logger = logging.getLogger("wheelproof.test")
    handler = logging.NullHandler()
    run(lambda: logger.addHandler(handler), logger.hasHandlers)
    logger.removeHandler(handler)


def memory_that_c_copies():
    text = (ctypes.c_char * 2)(b"a", b"b")
    run(lambda: text.value, lambda: ctypes.memmove(text, b"c", 1))


def variable_of_the_environment_that_is_removed():
    os.environ["WHEELPROOF_TEST"] = "0"
    run(lambda: "WHEELPROOF_TEST" in os.environ, lambda: os.environ.pop("WHEELPROOF_TEST", None))


def mask_of_new_files():
    mask = os.umask(0)
    run(lambda: os.umask(0o22), lambda: os.umask(mask))
    os.umask(mask)


def limit_of_recursion():
    limit = sys.getrecursionlimit()
    run(lambda: sys.setrecursionlimit(limit), sys.getrecursionlimit)


def garbage_collection():
    run(gc.enable, gc.isenabled)


def filters_of_warnings():
    with warnings.catch_warnings():
        run(*2 * [functools.partial(warnings.simplefilter, "ignore", UserWarning)])


def pipe():
    reader, writer = os.pipe()
    run(lambda: os.write(writer, b"1"), lambda: os.write(writer, b"2"))
    for descriptor in (reader, writer):
        os.close(descriptor)


def ends_of_a_socket():
    first, second = socket.socketpair()
    second.setblocking(False)

    def receive():
        with contextlib.suppress(BlockingIOError):
            second.recv(1)

    run(lambda: first.send(b"a"), receive)
    first.close()
    second.close()


def look_for_a_socket_that_is_ready():
    first, second = socket.socketpair()
    run(lambda: first.send(b"a"), lambda: select.select([second], [], [], 0))
    first.close()
    second.close()


def two_objects_of_one_file():
    with tempfile.NamedTemporaryFile("w") as writer, open(writer.name, encoding="utf-8") as reader:

        def write():
            writer.write("a")
            writer.flush()

        run(write, reader.read)


UNSEEN = [
    ends_of_a_socket,
    look_for_a_socket_that_is_ready,
    two_objects_of_one_file,
    level_of_a_logger,
    handlers_of_a_logger,
    memory_that_c_copies,
    variable_of_the_environment_that_is_removed,
    mask_of_new_files,
    limit_of_recursion,
    garbage_collection,
    filters_of_warnings,
    pipe,
]
for name, make, values in (
    ("decoder", lambda: codecs.getincrementaldecoder("utf-8")().decode, (b"\xc3", b"\xa9")),
    ("digest_with_a_key", lambda: hmac.new(b"k", digestmod="sha256").update, (b"a", b"b")),
    ("parser_of_html", lambda: html.parser.HTMLParser().feed, ("<a", "<b")),
):
    UNSEEN.append(steps(make, *values))
    UNSEEN[-1].__name__ = name


def tokens():
    lexer = shlex.shlex("a b")
    run(lexer.get_token, lexer.get_token)


UNSEEN.append(tokens)


def under_a_lock(step):
    """Threads that count under a lock, and take a step that changes nothing of another thread."""

    def program():
        lock, counts = threading.Lock(), [0]

        def count():
            step()
            with lock:
                counts[0] += 1

        run(count, count)
        assert counts == [2]

    program.__name__ = step.__name__
    return program


ENCODER, STRUCT, PATTERN = json.JSONEncoder(), struct.Struct("i"), re.compile("a(b)")
ZONE = zoneinfo.ZoneInfo("UTC")


def code_that_is_not_looked_into():
    ENCODER.encode({"a": [1]})
    PATTERN.match("ab").group(1)
    PATTERN.sub(lambda match: match[0], "ab")
    str(ZONE)
    shlex.split("a b")
    logging.getLogger("wheelproof.test").debug("a")
    isinstance(1, abc.ABC)
    os.environ.get("HOME")
    STRUCT.unpack(STRUCT.pack(1))


def objects_of_each_thread():
    text, numbers = io.StringIO(), [1, 2, 3]
    csv.writer(text).writerow(numbers)
    next(iter(numbers))
    list(itertools.chain(numbers, reversed(numbers)))
    decimal.Context(prec=3).divide(decimal.Decimal(1), decimal.Decimal(3))
    mock.Mock()(1)
    with socket.socket() as unconnected:
        unconnected.settimeout(1)
    print(end="", file=sys.stderr)
    sys.stderr.flush()
    Outer().inner.count = 1


def dictionary_of_an_object_without_one():
    functools.wraps(abs)(lambda value: abs(value))
    getattr(abs, "__dict__", {})


def count_of_a_fake():
    fake = mock.Mock()
    run(fake, fake)
    assert fake.call_count == 2


EXHAUSTED = [
    under_a_lock(code_that_is_not_looked_into),
    under_a_lock(objects_of_each_thread),
    under_a_lock(dictionary_of_an_object_without_one),
    count_of_a_fake,
]
