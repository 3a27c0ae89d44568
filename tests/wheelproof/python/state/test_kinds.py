"""All types that a CPython has: compared by contents, by identity or by slots, or refused.

The list is closed, so a type that a new CPython brings is refused. What could go wrong is a type
that is compared, and not with all that it holds. So the types that are compared are named here, a
new one fails, and an instance of each is looked at: what the garbage collector says that it refers
to has to be written in its form. Of all other types an instance, where there is one, is refused.
"""

import builtins
import json
import shutil
import subprocess
import sys
from array import array
from pathlib import Path

import pytest

from tests.wheelproof.python.state import every_type
from wheelproof.python.state import canonical, kinds

COMPARED = {
    "contents": [
        "AttributeError", "BaseException", "BaseExceptionGroup", "ImportError", "NameError",
        "OSError", "StopIteration", "SyntaxError", "SystemExit", "UnicodeDecodeError",
        "UnicodeEncodeError", "UnicodeTranslateError", "builtin_function_or_method", "bytes",
        "cell", "complex", "deque", "dict", "float", "frozenset", "function", "generator", "int",
        "list", "mappingproxy", "method", "range", "set", "str", "traceback", "tuple",
    ],
    "identity": [
        "NoneType", "NotImplementedType", "bool", "classmethod_descriptor", "ellipsis",
        "getset_descriptor", "member_descriptor", "method_descriptor", "module",
        "wrapper_descriptor",
    ],
    "slots": [],
}  # fmt: skip
MEMBERS = {
    "AttributeError": {"name", "obj"},
    "BaseExceptionGroup": {"message", "exceptions"},
    "ImportError": {"msg", "name", "path"},
    "NameError": {"name"},
    "OSError": {"errno", "strerror", "filename", "filename2", "characters_written"},
    "StopIteration": {"value"},
    "SystemExit": {"code"},
    "UnicodeDecodeError": {"encoding", "object", "start", "end", "reason"},
}


def interpreter(version):
    """A CPython of this version: on the PATH, or installed beside the one that runs."""
    beside = sorted(Path(sys.base_prefix).parent.glob(f"*{version}*/bin/python{version}"))
    for python in [shutil.which(f"python{version}"), *map(str, beside)]:
        if python is not None:
            answer = subprocess.run(
                [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                capture_output=True,
                text=True,
                check=False,
            )
            if answer.stdout.strip() == version:
                return python
    pytest.skip(f"NOT RUN: there is no CPython {version}")


@pytest.mark.daily(2)
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_each_type_is_compared_as_a_whole_or_refused(version):
    ended = subprocess.run(
        [interpreter(version), "-W", "ignore", every_type.__file__],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(ended.stdout)
    assert found["faults"] == []
    assert found["compared"] == COMPARED
    assert found["types"] > 900 and found["refused"] > 250


@pytest.mark.parametrize("name", MEMBERS)
def test_the_members_that_an_exception_has_in_c_are_read(name):
    cls = vars(builtins)[name]
    assert {member for member, _ in kinds.members_of(cls)} >= MEMBERS[name]


def test_a_type_that_is_compared_and_not_in_the_list_is_noticed(monkeypatch):
    monkeypatch.setattr(kinds, "way", lambda cls: "contents" if cls is array else "refused")
    assert every_type.compared([array, bytearray], kinds)["contents"] == ["array"]


@pytest.mark.parametrize("left", ["name", "path", "value", "obj", "filename", "text", "code"])
def test_a_member_that_is_not_read_is_noticed(monkeypatch, left):
    members = kinds.members_of
    monkeypatch.setattr(
        "wheelproof.python.state.exceptions.members_of",
        lambda cls: tuple(each for each in members(cls) if each[0] != left),
    )
    assert any(f"deque(['{left}'])" in text for text in every_type.incomplete(kinds, canonical))


@pytest.mark.parametrize("method", ["_function", "_in_order"])
def test_contents_that_are_not_read_are_noticed(monkeypatch, method):
    monkeypatch.setattr(canonical.Values, method, lambda self, value: ())
    assert list(every_type.incomplete(kinds, canonical))


def test_an_instance_of_a_refused_type_that_is_compared_is_noticed(monkeypatch):
    monkeypatch.setattr(kinds, "way", lambda cls: "refused")
    texts, _ = every_type.passed([int], kinds, canonical, canonical.Unnamed)
    assert texts
