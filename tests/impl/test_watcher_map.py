"""The watcher lists of a shard: by key, and one after the other in the order of hashes."""

from pathlib import Path

import pytest

from impl.watcher_map import WatcherMap

SOURCE = Path(__file__).resolve().parents[2] / "impl" / "watcher_map.py"


class Key:
    """A key with the hash that it is given; equal to itself alone."""

    def __init__(self, of):
        self.of = of

    def __hash__(self):
        return self.of


def met(lists, place=None):
    """The lists that one comes to behind a place, and the last place."""
    found = []
    while (step := lists.after(place)) is not None:
        place, each = step
        found.append(each)
    return found, place


def by_key(made):
    lists, key = made(), Key(3)
    assert not lists.was_used() and lists.get(key) is None and lists.pop(key) is None
    assert not lists.was_used()
    lists.put(key, "a")
    assert lists.was_used() and lists.get(key) == "a"
    assert lists.pop(key) == "a" and lists.get(key) is None
    lists.put(key, "b")
    lists.put(key, "c")
    assert met(lists)[0] == ["c"] and lists.get(key) == "c"
    lists.discard(key)
    assert lists.get(key) is None and lists.was_used() and lists.after(None) is None


def in_the_order_of_hashes(made):
    lists = made()
    keys = {number: Key(number) for number in (5, 1, 9, 3)}
    for number, key in keys.items():
        lists.put(key, number)
    assert met(lists)[0] == [1, 3, 5, 9]
    place, first = lists.after(None)
    place, second = lists.after(place)
    assert (first, second) == (1, 3)
    lists.put(Key(2), 2)
    lists.put(Key(4), 4)
    lists.discard(keys[3])
    lists.discard(keys[9])
    assert met(lists, place)[0] == [4, 5]


def with_one_hash(made):
    lists, keys = made(), [Key(7) for _ in range(3)]
    for number, key in enumerate(keys):
        lists.put(key, number)
    assert met(lists)[0] == [0, 1, 2]
    lists.discard(keys[1])
    assert [lists.get(key) for key in keys] == [0, None, 2]
    place, _ = lists.after(None)
    lists.put(keys[1], 3)
    assert met(lists, place)[0] == [3, 2]


CHECKS = (by_key, in_the_order_of_hashes, with_one_hash)


@pytest.mark.parametrize("check", CHECKS)
def test_a_map(check):
    check(WatcherMap)


@pytest.mark.parametrize(
    ("text", "fault", "check"),
    [
        ("            self.used = True\n", "", by_key),
        (
            "self.order[index:index] = [place]",
            "self.order.append(place)",
            in_the_order_of_hashes,
        ),
        ("bisect_right(self.order, place)", "self.order.index(place) + 1", in_the_order_of_hashes),
        ("bisect_right(self.order", "1 + bisect_left(self.order", in_the_order_of_hashes),
        ("            number += 1\n", "            break\n", with_one_hash),
        ("if key in self.places:", "if False:", by_key),
        ("self.places[key], self.order[index]", "self.places[key], self.order[-1]", with_one_hash),
    ],
)
def test_a_map_with_a_fault_fails(text, fault, check):
    source = SOURCE.read_text(encoding="utf-8")
    assert source.count(text) == 1
    names = {"__name__": "faulty"}
    exec(source.replace(text, fault), names)
    with pytest.raises((AssertionError, ValueError, TypeError, KeyError)):
        check(names["WatcherMap"])
