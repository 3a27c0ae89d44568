"""State machines with a known verdict under threads."""

import threading
from types import SimpleNamespace

from hypothesis import assume, note
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

KEYS = st.sampled_from("ab")


class Store:
    """A dictionary, and a counter that loses updates."""

    def __init__(self):
        self.entries, self.count = {}, 0

    def put(self, key, value):
        self.entries[key] = value

    def get(self, key):
        return self.entries.get(key)

    def hit(self):
        self.count = self.count + 1
        return self.count


class Handles:
    """A handle is closed once."""

    def __init__(self):
        self.lock, self.opened, self.last = threading.Lock(), set(), 0

    def open(self):
        with self.lock:
            self.last += 1
            self.opened.add(self.last)
            return self.last

    def close(self, handle):
        with self.lock:
            self.opened.remove(handle)


class Pair:
    """Two fields that are equal unless two threads set them."""

    def __init__(self):
        self.first = self.second = 0

    def set(self, value):
        self.first = value
        self.second = value


class LockedPair(Pair):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def set(self, value):
        with self.lock:
            super().set(value)


# -- sound ones


class Returns(RuleBasedStateMachine):
    """Rules return what the class returns."""

    keys = Bundle("keys")

    def __init__(self):
        super().__init__()
        self.store = Store()

    @rule(target=keys, key=KEYS)
    def key(self, key):
        note("a key")
        return key

    @rule(key=keys, value=st.integers(0, 2))
    def put(self, key, value):
        self.store.put(key, value)

    @rule(key=keys)
    def get(self, key):
        return self.store.get(key)


class Modelled(RuleBasedStateMachine):
    """Rules compare with a model that has no lock."""

    def __init__(self):
        super().__init__()
        self.store, self.model = Store(), {}

    @rule(key=KEYS, value=st.integers(0, 2))
    def put(self, key, value):
        self.store.put(key, value)
        self.model[key] = value

    @rule(key=KEYS)
    def get(self, key):
        assert self.store.get(key) == self.model.get(key)

    @invariant()
    def agrees(self):
        assert self.store.entries == self.model


class Shrinking(RuleBasedStateMachine):
    """A rule may be called while items are left: two threads may not both take the last one."""

    @initialize(count=st.integers(1, 2))
    def begin(self, count):
        self.items = list(range(count))

    @invariant()
    def is_never_overdrawn(self):
        assert len(self.items) >= 0

    @precondition(lambda self: len(self.items) > 0)
    @rule()
    def take(self):
        return self.items.pop()

    @rule()
    def put(self):
        self.items.append(9)


class Closes(RuleBasedStateMachine):
    handles = Bundle("handles")

    @initialize()
    def begin(self):
        self.table = Handles()

    @rule(target=handles)
    def open(self):
        return self.table.open()

    @rule(handle=consumes(handles))
    def close(self, handle):
        self.table.close(handle)


class Arguments(RuleBasedStateMachine):
    """Every kind of argument."""

    names = Bundle("names")
    SIZE = 2

    def __init__(self):
        super().__init__()
        self.lock, self.seen = threading.Lock(), 0

    @initialize(target=names)
    def first(self):
        return multiple("a", "bb")

    @rule(target=names, data=st.data())
    def several(self, data):
        return multiple(*["c" * n for n in range(data.draw(st.integers(0, 2)))])

    @rule(
        some=st.lists(names, max_size=2),
        short=names.filter(lambda name: len(name) < 2).map(str.upper),
        size=st.runner().flatmap(lambda machine: st.just(machine.SIZE)),
    )
    def use(self, some, short, size):
        assume(len(some) < 3)
        assert size == 2 and short == short.upper() and all(isinstance(n, str) for n in some)
        with self.lock:
            self.seen += len(some)
            return self.seen


class LockedPairs(RuleBasedStateMachine):
    pair_class = LockedPair

    def __init__(self):
        super().__init__()
        self.pair = self.pair_class()

    @rule(value=st.integers(1, 2))
    def set(self, value):
        self.pair.set(value)

    @invariant()
    def is_a_pair(self):
        assert self.pair.first == self.pair.second


SOUND = [Returns, Modelled, Shrinking, Closes, Arguments, LockedPairs]


# -- faulty ones


class Hits(Modelled):
    """A model without locks, beside a rule that returns what the class returns."""

    @rule()
    def hit(self):
        return self.store.hit()


class Pairs(LockedPairs):
    """The invariant is broken at the end, though no rule returns anything."""

    pair_class = Pair


FAULTY = {Hits: "hit", Pairs: "set"}
"""Machine -> the rule whose class has the fault."""


class FailsAlone(RuleBasedStateMachine):
    count = 0

    @rule()
    def climb(self):
        self.count += 1
        assert self.count < 2, "too high"


class ConsumesWithin(RuleBasedStateMachine):
    """A rule that is left out, and one that is not."""

    handles = Bundle("handles")

    def __init__(self):
        super().__init__()
        self.state = SimpleNamespace(count=0)

    @rule(target=handles)
    def open(self):
        self.state.count = 1
        return self.state.count

    @rule(some=st.lists(consumes(handles)))
    def close(self, some):
        raise AssertionError
