"""What a call of a collection orders, and threads that catch the error that ends them."""

from pathlib import Path

import pytest

from tests.wheelproof.jvm.small import explored, loaded
from wheelproof.jvm.declaration import Binding
from wheelproof.jvm.process import MOVES, WAITS

HERE = Path(__file__).parent
BINDING = Binding(
    name="shelf",
    file=HERE / "shelf.toml",
    mechanism="shelf",
    releases=("source",),
    classes=("Shelf", "Shelf$Box"),
    harness=("ShelfHarness",),
    labels={
        "M": ("Shelf.perform:CALL ConcurrentHashMap.computeIfAbsent#0",),
        "G": ("Shelf.perform:CALL ConcurrentHashMap.get#0",),
        "C": ("Shelf.perform:GETFIELD content#0", "Shelf.perform:GETFIELD content#1"),
        "P": ("Shelf.perform:PUTFIELD loose#0",),
        "F": ("Shelf.perform:GETFIELD loose#0",),
        "L": ("Shelf.insist:CALL ReentrantLock.lock#0", "Shelf.insist:CALL ReentrantLock.lock#1"),
        "W": ("Shelf.insist:PUTFIELD marks#0",),
        "U": ("Shelf.insist:CALL ReentrantLock.unlock#0",),
    },
)


@pytest.fixture(scope="module")
def shelf():
    sources = sorted((HERE / "shelf").glob("*.java"))
    with loaded(BINDING, sources) as process:
        yield process


def raced(shelf, *operations):
    shelf.load(BINDING)
    graph = explored(shelf, operations, BINDING)
    assert graph.complete and not graph.faults
    return {field for field, _, _ in shelf.races()["races"]}


def test_what_is_made_in_a_call_of_a_map_is_released_with_it(shelf):
    assert raced(shelf, "make", "look") == set()


def test_what_a_plain_field_passes_on_is_a_race(shelf):
    assert raced(shelf, "leave", "find") == {"Shelf.loose", "Shelf$Box.content"}


def test_a_thread_that_catches_its_end_takes_no_lock_that_another_one_holds(shelf):
    graph = explored(shelf, ["insist", "insist"], BINDING)
    assert graph.complete and not graph.faults
    assert {shared[1] for shared in graph.shared} == {0, 1, 2}
    states = shelf.replay([0])["states"]
    assert [thread["standing"] for thread in states[-1]["threads"]] == [MOVES, WAITS]
