"""Ways to read two values of which another thread writes one after the other.

Each reader takes both in steps of its own, or both at once: between the two writes it sees one.
"""

import copy
import itertools
import operator
import sys
import threading
import types
import weakref
from contextlib import nullcontext

from tests.wheelproof.plain.started import run


class Pair:
    __match_args__ = ("a", "b")

    def __init__(self):
        self.a = self.b = 0


def of_copy(pair):
    other = copy.copy(pair)
    return other.a, other.b


def of_state(pair):
    return tuple(pair.__getstate__().values())


def of_dictionary(pair):
    return tuple(dict(vars(pair)).values())


def of_class_pattern(pair):
    match pair:
        case Pair(a, b=b):
            return a, b


def of_attrgetter(pair):
    return operator.attrgetter("a", "b")(pair)


def of_format(pair):
    return tuple(map(int, "{0.a}{pair.b}".format(pair, pair=pair)))  # noqa: UP032 - is read so


def of_proxy(pair):
    proxy = weakref.proxy(pair)
    return proxy.a, proxy.b


def of_namespaces(namespace):
    return (1, 0) if namespace == types.SimpleNamespace(a=1, b=0) else (0, 0)


def of_mapping_pattern(items):
    match items:
        case {"a": a, **rest}:
            return a, rest["b"]


def of_itemgetter(items):
    return operator.itemgetter("a", "b")(items)


def of_callback(items):
    return tuple(map(items.get, "ab"))


def of_key(items):
    first = sorted("ab", key=items.get)[0]
    return (0, 0) if first == "a" else (1, 0)


def of_mapping_proxy(items):
    proxy = types.MappingProxyType(items)
    return proxy["a"], proxy.get("b")


def of_text(items):
    return (1, 0) if str([items]) == "[{'a': 1, 'b': 0}]" else (0, 0)


def of_comparison(items):
    return (1, 0) if (items,) == ({"a": 1, "b": 0},) else (0, 0)


def of_membership(items):
    return (1, 0) if {"a": 1, "b": 0} in [items] else (0, 0)


def of_percent(items):
    return tuple(map(int, "%(a)s%(b)s" % items))  # noqa: UP031 - is read so


def of_sequence_pattern(items):
    match items:
        case [[a], [b]]:
            return a, b


def of_chain(items):
    return tuple(itertools.chain.from_iterable(items))


def of_iterator(items):
    return tuple(value for part in items.__iter__() for value in part)


def of_memory(text):
    return tuple(memoryview(text))


A = B = 0


def set_variables():
    global A, B
    A = 1
    B = 1


def of_globals(_):
    return globals()["A"], globals()["B"]


def of_module(_):
    fields = vars(sys.modules[__name__])
    return fields["A"], fields["B"]


def of_import(_):
    from tests.wheelproof.plain.torn import A as a
    from tests.wheelproof.plain.torn import B

    return a, B


def of_module_pattern(module):
    match module:
        case types.ModuleType(A=a, B=b):
            return a, b


def set_attributes(pair):
    pair.a = 1
    pair.b = 1


def set_items(items):
    items["a"] = 1
    items["b"] = 1


def set_parts(items):
    items[0][0] = 1
    items[1][0] = 1


def set_bytes(text):
    text[0] = 1
    text[1] = 1


def with_attributes():
    return Pair(), set_attributes


def with_namespace():
    return types.SimpleNamespace(a=0, b=0), set_attributes


def with_items():
    return {"a": 0, "b": 0}, set_items


def with_parts():
    return [[0], [0]], set_parts


def with_bytes():
    return bytearray(2), set_bytes


def with_variables():
    return sys.modules[__name__], lambda _: set_variables()


READERS = {
    with_attributes: (
        of_copy, of_state, of_dictionary, of_class_pattern, of_attrgetter, of_format, of_proxy,
    ),
    with_namespace: (of_namespaces,),
    with_items: (
        of_mapping_pattern, of_itemgetter, of_callback, of_key, of_mapping_proxy, of_text,
        of_comparison, of_membership, of_percent,
    ),
    with_parts: (of_sequence_pattern, of_chain, of_iterator),
    with_bytes: (of_memory,),
    with_variables: (of_globals, of_module, of_module_pattern, of_import),
}  # fmt: skip
"""What makes two values and their writer -> readers of them."""


def program(make, read, guarded):
    """A program with a writer and a reader, each under a lock or without one."""

    def main():
        values, write = make()
        guard, seen = threading.Lock() if guarded else nullcontext(), []

        def reader():
            with guard:
                seen.append(read(values))

        def writer():
            with guard:
                write(values)

        run(writer, reader)
        assert seen[0] in ((0, 0), (1, 1))

    return main
