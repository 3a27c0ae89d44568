"""Which modules are looked into, and what happens to those that cannot be."""

import builtins
import random
import sys

import pytest

from wheelproof.plain.answers import Answer
from wheelproof.plain.replaying import replay_program
from wheelproof.plain.state import State


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


SETTING = "mode = 0\ndef check(again=lambda: mode):\n    return mode, again()\n"
"""A module whose functions read what others assign."""


@pytest.mark.daily(2)
@pytest.mark.parametrize("assigned", ["setting.mode = 1", "setattr(setting, 'mode', 1)"])
def test_a_variable_that_another_module_assigns_is_shared(written, assigned):
    written.module("setting", SETTING)
    found = written.explored(
        f"""
        import setting

        def put():
            {assigned}

        def program():
            seen = []
            run(put, lambda: seen.append(setting.check()))
            assert seen[0][0] == seen[0][1]
        """
    )
    assert found.answer is Answer.BUG and found.failure.preemptions == 1, found.reason
    again = replay_program(sys.modules["written"].program, found.schedule)
    assert again.possible and again.failure is not None
    assert {"mode", "setting.mode =" if "=" in assigned else "setattr(setting, 'mode', 1)"} <= {
        place.text for place in found.racy_places
    }


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


def test_compiled_code_has_a_remedy_of_its_own(written):
    reasons = []
    for call in ("encode(values, 0)", "inspect.signature(values)"):
        found = written.explored(
            f"""
            import inspect
            from _json import encode_basestring_ascii, make_encoder

            class Values(dict):
                def __call__(self):
                    pass

            def program():
                values = Values()
                text = encode_basestring_ascii
                encode = make_encoder(None, None, text, None, ":", ",", False, False, True)
                run(lambda: {call}, lambda: values.update(b=2))
            """
        )
        assert found.answer is Answer.UNSEEN
        reasons.append(found.reason)
    assert "Encoder is not looked into" in reasons[0] and "compiled" in reasons[0]
    assert "inspect.signature is not looked into" in reasons[1] and "`into`" in reasons[1]


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


@pytest.mark.parametrize(
    ("program", "answer"),
    [
        ("run(lambda: json.dumps(values), lambda: values[0].append(1))", Answer.UNSEEN),
        ("run(lambda: values[0].append(1), lambda: values[0].append(1))\n    json.dumps(values)",
         Answer.EXHAUSTED),
    ],
    ids=["beside another thread", "after all others"],
)  # fmt: skip
def test_reading_too_much_beside_another_thread_is_unseen(program, answer, written):
    found = written.explored(
        f"import json\ndef program():\n    values = [[] for _ in range(2000)]\n    {program}\n"
    )
    assert found.answer is answer
    assert ("more than 1,000 objects" in found.reason) == (answer is Answer.UNSEEN)


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
