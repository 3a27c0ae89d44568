"""Which modules are looked into, and what happens to those that cannot be."""

import builtins
import random
import sys

import pytest

from tests.wheelproof.plain.written import Written
from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.state import State
from wheelproof.plain.universe import EXCEPTIONS, is_looked_into


@pytest.fixture
def written(tmp_path, monkeypatch):
    files = Written(tmp_path, monkeypatch)
    yield files
    files.forget()


# -- the standard library

CANCELLED = """
import asyncio

def program():
    loop, errors = asyncio.new_event_loop(), []
    loop.set_exception_handler(lambda loop, context: errors.append(context))
    handle = loop.call_soon_threadsafe(int)
    loop.call_soon(loop.stop)
    run(loop.run_forever, handle.cancel)
    loop.close()
    assert not errors
"""
"""A callback is cleared between the test of the loop and its call: gh-128340."""

STARTED_TWICE = """
import contextlib, logging.handlers, queue

def program():
    listener = logging.handlers.QueueListener(queue.Queue())

    def start():
        with contextlib.suppress(RuntimeError):
            listener.start()

    run(start, start)
    listener.stop()
"""
"""Two starts make two monitors, of which stop ends one: gh-132106."""

CLEARED = """
import linecache

def program():
    linecache.cache["a"] = (1, 2, [], "a")
    run(linecache.clearcache, linecache.checkcache)
"""
"""gh-133253."""

DRAWN = """
import random

def program():
    numbers = random.Random(0)
    run(numbers.random, lambda: numbers.seed(1), lambda: numbers.shuffle([1, 2]))
"""

LOGGED = """
import logging

class Handler(logging.Handler):
    inside = 0

    def emit(self, record):
        Handler.inside += 1
        assert Handler.inside == 1
        Handler.inside -= 1

def program():
    handler = Handler()
    record = logging.makeLogRecord({})
    run(lambda: handler.handle(record), lambda: handler.handle(record))
"""

OLD = sys.version_info < (3, 12)
"""An interpreter without the corrections of these races."""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (CANCELLED, FailureKind.ASSERTION if OLD else None),
        (STARTED_TWICE, FailureKind.LOST_WAKE_UP if OLD else None),
        (CLEARED, FailureKind.EXCEPTION if OLD else None),
        (DRAWN, None),
        (LOGGED, None),
    ],
)
def test_pure_modules_of_the_standard_library_are_looked_into(written, text, kind):
    found = written.explored(text)
    if kind is None and not OLD:
        assert found.answer in (Answer.EXHAUSTED, Answer.BUG), found.reason
    elif kind is None:
        assert found.answer is Answer.EXHAUSTED, found.reason
    else:
        assert found.answer is Answer.BUG and found.failure.kind is kind, found.reason


def test_every_exception_has_a_reason_and_each_is_a_module():
    for reason, (_, names) in EXCEPTIONS.items():
        assert " " in reason and names
        for name in names:
            real = name.partition(".")[0] in sys.stdlib_module_names
            assert not (real and is_looked_into(name, ())), name
            assert is_looked_into(name, (name,)), name
    for name in ("subprocess", "asyncio.events", "linecache", "logging.handlers", "socket"):
        assert is_looked_into(name, ()), name


def test_a_module_that_is_loaded_by_name_is_that_of_the_program(written):
    written.module("state", "count = 0\ndef add():\n    global count\n    count += 1\n")
    found = written.explored(
        """
        import importlib, state

        def program():
            again = importlib.import_module("state")
            run(state.add, again.add)
            assert state.count == 2
        """
    )
    assert found.answer is Answer.BUG and found.failure.preemptions == 1, found.reason


def test_a_module_finds_itself_while_it_is_loaded(written):
    explorer = written.explorer(
        """
        import enum
        NUMBER_ONE = 1
        enum.IntEnum._convert_("Number", __name__, lambda name: name.startswith("NUMBER_"))
        assert NUMBER_ONE is Number.NUMBER_ONE

        def program():
            run(lambda: [NUMBER_ONE], lambda: [NUMBER_ONE])
        """
    )
    assert explorer.world.refused == {}
    assert explorer.world.modules["written"].Number is not sys.modules["written"].Number


LAZY = """
import sys, types

class Lazy(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        __import__("queue")
        return sys.modules["queue"]

class Importer:
    known = {__name__ + ".moves": Lazy(__name__ + ".moves")}

    def find_spec(self, name, path, target=None):
        import importlib.util
        return importlib.util.spec_from_loader(name, self) if name in self.known else None

    def create_module(self, spec):
        try:
            return sys.modules[spec.name]
        except KeyError:
            return self.known[spec.name]

    def exec_module(self, module):
        pass

__path__ = []
sys.meta_path.append(Importer())
"""


def test_a_module_that_an_importer_of_the_program_makes_has_modules_of_the_program(written):
    written.module("lazy", LAZY)
    finders = list(sys.meta_path)
    try:
        explorer = written.explorer(
            """
            import lazy
            from lazy.moves import queue

            def program():
                one = queue.Queue(1)
                run(lambda: one.put(1), one.get)
            """
        )
        assert len(sys.meta_path) == len(finders) + 1  # of the real module alone
        assert explorer.explore().answer is Answer.EXHAUSTED
    finally:
        sys.meta_path[:] = finders


# -- modules that cannot be loaded a second time


def test_a_module_that_is_refused_and_touches_is_unseen_by_its_name(written):
    written.once("once", "def add(value):\n    value.count += 1\n")
    found = written.explored(
        """
        import once

        class Slotted:
            __slots__ = ("count",)

        def program():
            value = Slotted()
            value.count = 0
            run(lambda: once.add(value), lambda: once.add(value))
        """
    )
    assert found.answer is Answer.UNSEEN
    assert "once.add is not looked into" in found.reason and "loaded before" in found.reason


def test_code_that_is_not_seen_and_reaches_too_much_is_unseen(written):
    written.once("once", "def add(values):\n    pass\n")
    found = written.explored(
        """
        import once

        def program():
            values = [[] for _ in range(2000)]
            run(lambda: once.add(values[:]), lambda: [values])
        """
    )
    assert found.answer is Answer.UNSEEN and "once.add" in found.reason


def test_classes_that_exist_twice_are_neither_a_pass_nor_a_bug(written):
    written.package("pack", "")
    written.module("pack.errors", "class Error(Exception):\n    pass\n")
    written.once(
        "pack.once",
        "from pack.errors import Error\ndef fail():\n    raise Error\n",
    )
    for caught in ("errors.Error", "Exception"):
        found = written.explored(
            f"""
            from pack import errors, once

            def use():
                try:
                    once.fail()
                except {caught}:
                    pass

            def program():
                run(use, use)
            """
        )
        assert found.answer is Answer.UNSEEN
        assert "pack.once cannot be loaded a second time (RuntimeError: loaded" in found.reason
        written.forget()


def test_a_package_that_is_refused_is_one_thing(written):
    written.once("pack.__init__", "")
    written.module("pack.part", "def nothing():\n    pass\n")
    explorer = written.explorer(
        "import pack.part\ndef program():\n    run(pack.part.nothing, print)\n"
    )
    assert list(explorer.world.refused) == ["pack"] and explorer.world.twice == {}
    assert "pack.part" not in explorer.world.modules


PROXY = """
class Proxy:
    def raises(self, *arguments):
        raise RuntimeError("outside of its context")

    __getattr__ = raises
    __class__ = property(raises)
    __dict__ = property(raises)
    __iter__ = __len__ = __eq__ = __bool__ = raises
    __hash__ = None

proxy = Proxy()
holder = [proxy, {"proxy": proxy}]

def program():
    run(lambda: holder.append(1), lambda: holder.append(2))
    assert len(holder) == 4
"""


def test_objects_that_raise_when_they_are_looked_at_do_not_refuse_their_module(written):
    explorer = written.explorer(PROXY)
    assert explorer.world.refused == {}
    assert explorer.explore().answer is Answer.EXHAUSTED


# -- what is put back


def test_variables_that_come_after_a_circular_import_are_put_back(written):
    written.package(
        "circle",
        """
        flag = 0
        from circle import part
        value = 1

        def take():
            global flag, value
            flag += 1
            value += 1
            return flag, value
        """,
    )
    written.module("circle.part", "import circle\n")
    found = written.explored(
        """
        import circle

        def program():
            run(circle.take, lambda: None)
            assert (circle.flag, circle.value) == (1, 2)
        """
    )
    assert found.answer in (Answer.EXHAUSTED, Answer.VACUOUS), found.reason


def test_slots_and_fields_of_containers_are_put_back(written):
    found = written.explored(
        """
        import collections

        class Slotted:
            __slots__ = ("count", "late")

        class Registry(dict):
            count = 0

        SLOTTED, REGISTRY, ORDER = Slotted(), Registry(), collections.OrderedDict(a=1, b=2)
        SLOTTED.count = 0

        def program():
            assert (SLOTTED.count, hasattr(SLOTTED, "late"), REGISTRY.count) == (0, False, 0)
            assert list(ORDER) == ["a", "b"] and len(REGISTRY) == 0
            SLOTTED.count = SLOTTED.late = REGISTRY.count = REGISTRY["a"] = 1
            ORDER.move_to_end("a")
            del ORDER["b"]
            run(lambda: REGISTRY.get("a"), lambda: REGISTRY.get("a"))
        """
    )
    assert found.answer is Answer.EXHAUSTED, found.reason


def test_variables_of_real_modules_are_left_alone():
    one, own = builtins.__dict__, [1]
    values = {"one": one, "path": sys.path, "modules": sys.modules, "own": own}
    state = State(lambda value: False)
    state.record([values])
    one["planted"] = 1
    sys.path.append("planted")
    own.append(2)
    try:
        state.restore_all()
        assert "planted" in one and "planted" in sys.path and own == [1]
    finally:
        del one["planted"]
        sys.path.remove("planted")


def test_random_numbers_of_the_program_are_the_same_in_each_run(written):
    state = random.getstate()
    found = written.explored(
        """
        import random
        LISTS = []

        def program():
            LISTS.append([random.random() for _ in range(4)])
            number = LISTS[0][0]
            run(lambda: LISTS.append(number), lambda: LISTS.append(number))
            if number < 0.5:
                run(lambda: LISTS.append(number), lambda: LISTS.append(number))
        """
    )
    random.setstate(state)
    assert found.answer is Answer.EXHAUSTED, found.reason
