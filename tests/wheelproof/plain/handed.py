"""Programs that hand containers to functions in C, and values to named tuples; and programs whose
threads meet where nothing is looked into."""

import collections
import contextlib
import functools
import os
import pathlib
import tempfile
from typing import NamedTuple

from tests.wheelproof.plain.started import run


class Pair(NamedTuple):
    first: dict
    second: int = 0


Plainer = collections.namedtuple("Plainer", "first second")


def values_of_named_tuples_are_handed_on():
    pair, plainer, seen = Pair({}), Plainer({}, 0), []

    def replace():
        seen.append(pair._replace(second=1).second)
        seen.append(Pair(pair.first)._asdict()["second"])
        seen.append(Pair._make(Plainer(plainer.first, 1)._replace(second=1)).second)

    run(replace, lambda: (pair.first.update(a=1), plainer.first.update(a=1)))
    assert seen == [1, 0, 1]


def read_backwards():
    items, kept, parts = [1, 2], {1: 2}, [[1], [2]]
    seen = []

    def read():
        seen.append([*reversed(items), *reversed(kept), *reversed(kept.values())])
        seen.append(sum(parts, []))  # noqa: RUF017 - the sum begins with a list
        seen.append([max(items, [3]), min([1], items), max(items)])
        seen.append(functools.reduce(lambda left, right: [*left, right], items, [0]))

    run(read, lambda: seen)
    assert seen == [[2, 1, 1, 2], [1, 2], [[3], [1], 2], [0, 1, 2]]


def value_of_a_named_tuple_is_read():
    pair = Pair({"a": 0})

    def add():
        pair._replace(second=1).first["a"] += 1

    run(add, add)
    assert pair.first["a"] == 2


def taken_away_from_a_reader():
    items, seen = [1, 2], []
    run(lambda: seen.extend(reversed(items)), lambda: items.remove(2))
    assert seen == [2, 1]


class Counter:
    count = 0

    async def add(self):
        self.count += 1


def coroutines_run_by_hand():
    counter = Counter()

    def add():
        with contextlib.suppress(StopIteration):
            counter.add().send(None)

    run(add, add)
    assert counter.count == 2


def text_is_executed_in_one_namespace():
    variables, seen = {"count": 0}, []

    def add():
        seen.append(1)
        exec("count += 1", variables)

    run(add, add)


def of_files(exists, make):
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file")

        def write():
            seen.append(1)
            if not exists(path):
                make(path)

        run(write, write)


def file_is_opened_if_it_is_not_there():
    of_files(os.path.exists, lambda path: open(path, "x").close())


def folder_is_made_if_it_is_not_there():
    of_files(lambda path: pathlib.Path(path).is_dir(), os.mkdir)


def file_is_replaced_while_it_is_read():
    of_files(os.path.isfile, lambda path: pathlib.Path(path).write_text("text"))


def files_are_looked_at():
    seen = []

    def look():
        seen.append(os.path.exists(os.curdir))
        with open(os.devnull) as file:
            seen.append(file.read())

    run(look, look)


def variable_is_deleted_while_it_is_read():
    value = 1

    def delete():
        nonlocal value
        del value

    run(delete, lambda: value)


EXHAUSTED = [read_backwards, values_of_named_tuples_are_handed_on, files_are_looked_at]
BUGS = [
    value_of_a_named_tuple_is_read,
    taken_away_from_a_reader,
    variable_is_deleted_while_it_is_read,
]
UNSEEN = [
    coroutines_run_by_hand,
    text_is_executed_in_one_namespace,
    file_is_opened_if_it_is_not_there,
    folder_is_made_if_it_is_not_there,
    file_is_replaced_while_it_is_read,
]
