"""Expressions that read a container, and functions that they call.

A test appends one program for each of them to a copy of this file.
"""

import contextlib
import csv
import dataclasses
import io
import threading
from typing import NamedTuple

MODULES = (
    "array, base64, binascii, bisect, collections, copy, functools, hashlib, itertools, marshal, "
    "math, operator, pickle, struct, types, zlib"
)
"""Modules that the expressions use."""

LIST = """
a + b; b + a; b * 2; 2 * b; [*b]; (*b,); {*b}; arguments(*b); 2 in b; b == [1]; b < [1, 1]
[1] == b; [0] < b < [1, 1]; 1 < 2 in b; f"{b}"; "%s" % b; "%s %s" % (b, 1); "{}".format(b)
"{x}".format_map({"x": b}); str(b); repr(b); ascii(b); format(b); len(b); bool(b[1:]); b[:]
b[-1]; list(b); tuple(b); set(b); frozenset(b); sorted(b); list(reversed(b)); list(enumerate(b))
list(zip(b, b)); list(map(str, b)); list(filter(None, b)); any(x > 1 for x in b); sum(b); max(b)
min(b, key=lambda x: -x); max(*b, 0); b.copy(); b.count(2); [x for x in b]; {x for x in b}
{x: x for x in b}; copy.copy(b); copy.deepcopy(b); pickle.dumps(b); marshal.dumps(b)
list(itertools.chain(b, b)); list(itertools.chain.from_iterable([b])); list(itertools.islice(b, 5))
list(itertools.accumulate(b)); list(itertools.product(b, b)); list(itertools.permutations(b))
list(itertools.combinations(b, 1)); list(itertools.zip_longest(b, b)); list(itertools.groupby(b))
list(itertools.compress(b, b)); list(itertools.pairwise(b)); list(itertools.tee(b)[0])
list(itertools.islice(itertools.cycle(b), 3)); collections.Counter(b); collections.deque(b)
bisect.bisect(b, 5); math.fsum(b); math.prod(b); functools.reduce(operator.add, b)
operator.add(a, b); operator.iadd(a, b); operator.contains(b, 2); operator.length_hint(b)
operator.itemgetter(slice(None))(b); operator.methodcaller("copy")(b); operator.countOf(b, 2)
array.array("i", b); bytes(b); bytearray(b); dict.fromkeys(b); list.__len__(b); type(b)(b)
b.__len__(); b.__getitem__(-1); b.__contains__(2); b.__eq__([1]); b.__repr__(); b.__add__([0])
list(b.__iter__()); list(b.__reversed__()); [b] == [[1]]; {"k": b} == {"k": [1]}; (b,) == ([1],)
str([b]); str({"k": b}); [b].__repr__(); max([b], [[1, 1]]); min([[b], [[2]]])
sorted([b, [1, 1]]); [[1], b].count([1])
functools.partial(len, b)(); (lambda *x: len(x))(*b); types.SimpleNamespace(b=b).__repr__()
repr(Held(b)); Held(b) == Held([1]); repr(Pair(b)); Pair(b) == Pair([1]); str(ValueError(b))
replaced(a, b); replaced_in_part(a, b); added(a, b); unpacked(b); unpacked_inside(b); looped(b)
comprehended(b); entered(b); matched_in_part(b); delegated(b); printed(b); written(b)
tried(b); counted(b); extended(a, b); removed(b); struct.pack("3i", *b, 1, 1)[:len(b)]
"""

DICT = """
dict(b); {**b}; b | {}; {} | b; updated({}, b); joined({}, b); list(b); [*b]; sorted(b); len(b)
b.copy(); b.get(2); 2 in b; b.keys() | set(); list(b.keys()); list(b.values()); list(b.items())
[k for k, v in b.items()]; {k: v for k, v in b.items()}; list(reversed(b)); next(reversed(b))
str(b); f"{b}"; b == {1: 1}; copy.copy(b); copy.deepcopy(b); collections.Counter(b)
collections.OrderedDict(b); collections.ChainMap({}, b).get(2); list(collections.ChainMap({}, b))
types.MappingProxyType(b).get(2); b.setdefault(2, 7); b.pop(2, 7); b.keys() == {1}
b.items() == {1: 1}.items(); b.keys() & {1, 2}; b.keys() ^ {1}; {1, 2} - b.keys(); 2 in b.keys()
2 in b.values(); (2, 2) in b.items(); b.keys().isdisjoint([2]); list(map(b.get, [1, 2])); max(b)
sum(b.values()); any(k == 2 for k in b); tuple(b); pickle.dumps(b); dict.fromkeys(b)
dict.get(b, 2); "{b}".format(b=b); list(zip(b, b)); list(itertools.chain(b)); list(b.__iter__())
b.__or__({}); b.__ror__({}); "ab".translate({97: len(b)}); sorted([1, 2], key=lambda x: b.get(x, 0))
mapped(b); mapped_in_part(b); counted(b); taken(b); emptied(b); looped(b.items())
"""

SET = """
set(b); frozenset(b); b | set(); b & {1, 2}; b - {1}; b ^ {1}; {1, 2} - b; {1, 2} & b; {1} | b
len(b); 2 in b; sorted(b); b == {1}; b <= {1}; {1} < b; b.union([0]); b.issubset([1])
b.isdisjoint([2]); b.copy(); updated(set(), b); joined(set(), b); list(b); [*b]; str(b)
{1, 2}.difference(b); set().union(b); max(b); sum(b); any(x == 2 for x in b); {x for x in b}
pickle.dumps(b); copy.copy(b); b.__contains__(2); b.__and__({2}); operator.or_(b, set())
operator.isub({1, 2}, b); counted(b)
"""

DEQUE = """
list(b); len(b); b[-1]; 2 in b; b.copy(); b + collections.deque(); collections.deque(b)
list(reversed(b)); [x for x in b]; str(b); b == collections.deque([1]); b.count(2); sorted(b)
b.pop(); [*b]; tuple(b); b * 2; list(itertools.islice(b, 5)); max(b); sum(b); counted(b)
"""

BYTES = """
bytes(b); b[-1]; len(b); b + b""; b"" + b; b.decode(); b.hex(); b.find(2); b == bytes([1])
b == b"\\1"; b"\\2" in b; list(b); int.from_bytes(b, "big"); str(b); b[:]; b.copy(); b.upper()
b * 2; b"".join([b, b]); io.BytesIO(b).getvalue(); zlib.crc32(b); hashlib.md5(b).hexdigest()
base64.b64encode(b); sum(b); array.array("B", b).tolist(); binascii.hexlify(b); bytes(reversed(b))
b"%b" % b; b.startswith(b"\\1\\2"); b.split(b"\\1"); b"\\1\\2".strip(b); [0] < list(b) < [1, 1]
"""

MADE = {
    "LIST": ("[1]", "b.append(2)"),
    "DICT": ("{1: 1}", "put(b)"),
    "SET": ("{1}", "b.add(2)"),
    "DEQUE": ("collections.deque([1])", "b.append(2)"),
    "BYTES": ("bytearray([1])", "b.append(2)"),
}
"""A container, and how a second thread changes it."""


def both(one, other):
    threads = [threading.Thread(target=one), threading.Thread(target=other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@dataclasses.dataclass
class Held:
    values: list


class Pair(NamedTuple):
    values: list


def put(b):
    b[2] = 2


def arguments(*values):
    return values


def replaced(a, b):
    a[:] = b
    return a


def replaced_in_part(a, b):
    a[0:1] = b
    return a


def added(a, b):
    a += b
    return a


def extended(a, b):
    a.extend(b)
    return a


def updated(a, b):
    a.update(b)
    return a


def joined(a, b):
    a |= b
    return a


def unpacked(b):
    _, *rest = b
    return rest


def unpacked_inside(b):
    (_, *rest), _ = b, 1
    return rest


def looped(b):
    return [rest for _, *rest in [[*b, 0], b] if rest] + [len(rest) for _, *rest in [b]]


def comprehended(b):
    rests = []
    for _, *rest in [b]:
        rests.append(rest)
    return rests


@contextlib.contextmanager
def manager(b):
    yield b


def entered(b):
    with manager(b) as (_, *rest):
        return rest


def matched_in_part(b):
    match b:
        case [1, *rest]:
            return rest


def mapped(b):
    match b:
        case {2: value}:
            return value
    return 0


def mapped_in_part(b):
    match b:
        case {1: _, **rest}:
            return rest


def delegated(b):
    def values():
        yield from b

    return [*values()]


def printed(b):
    text = io.StringIO()
    print(*b, file=text)
    return text.getvalue()


def written(b):
    text = io.StringIO()
    csv.writer(text).writerow(b)
    return text.getvalue()


def tried(b):
    try:
        return b[1]
    except IndexError:
        return 0


def taken(b):
    try:
        return b[2]
    except KeyError:
        return 0


def removed(b):
    values = [1, 2, 3]
    del values[: len(b)]
    return values


def emptied(b):
    count = len(b)
    b.clear()
    return count


def counted(b):
    count = 0
    for _ in b:
        count += 1
    return count
