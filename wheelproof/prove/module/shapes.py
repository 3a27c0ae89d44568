"""Shapes of TLA+ values as Z3 has them, and the vocabulary that gives them to a module's names.

A set of the module is a sort. A record is one term for each field, a set an array to truth values.
A union of sets is a sort of its own: its parts are put into it by arrays that no step changes.
A wrong shape makes no wrong theorem: a term that does not fit is refused, and a value that is taken
out of a union where it need not be in that part is an obligation of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import z3

from wheelproof.prove.ts.system import WHOLE, Enumeration, Sort, array


@dataclass(frozen=True)
class Plain:
    """Truth values, or whole numbers."""

    name: str

    @property
    def z3(self) -> z3.SortRef:
        return z3.BoolSort() if self.name == "Bool" else z3.IntSort()


BOOL, INT = Plain("Bool"), Plain("Int")


@dataclass(frozen=True)
class Function:
    """``[domain -> range]``."""

    domain: Sort
    range: Shape


@dataclass(frozen=True)
class Record:
    """``[field : shape, ...]``."""

    fields: Mapping[str, Shape]

    @property
    def is_tuple(self) -> bool:
        """Whether it is no sequence, and none of the other values that are kept as a record."""
        return type(self) in (Record, Padded)


@dataclass(frozen=True)
class Sequence(Record):
    """``Seq(of)``: its length, and the element at each place from 1."""

    @property
    def of(self) -> Shape:
        item = self.fields["item"]
        assert isinstance(item, Function)
        return item.range


def sequence(item: Shape) -> Sequence:
    return Sequence({"length": INT, "item": Function(WHOLE, item)})


@dataclass(frozen=True)
class Partial(Record):
    """A function on some elements of a sort: which of them it has, and the values."""

    @property
    def function(self) -> Function:
        field = self.fields["value"]
        assert isinstance(field, Function)
        return field


def partial(domain: Sort, range_: Shape) -> Partial:
    return Partial({"has": Function(domain, BOOL), "value": Function(domain, range_)})


@dataclass(frozen=True)
class Single(Record):
    """A sequence of one element or none: whether it has one, and the element."""

    @property
    def of(self) -> Shape:
        return self.fields["item"]


def single(item: Shape) -> Single:
    return Single({"has": BOOL, "item": item})


@dataclass(frozen=True)
class Spaced(Record):
    """``Seq(of)`` by places from 1, which may have gaps: those that it has, and the item at each.

    The order of the places is that of the elements, so none moves where others are taken out.
    """

    @property
    def of(self) -> Shape:
        item = self.fields["item"]
        assert isinstance(item, Function)
        return item.range


def spaced(item: Shape) -> Spaced:
    return Spaced({"has": Function(WHOLE, BOOL), "item": Function(WHOLE, item)})


@dataclass(frozen=True)
class Padded(Record):
    """Tuples of at most as many places as there are fields; a shorter one has blanks behind it."""


@dataclass(frozen=True)
class Flags(Record):
    """A set of some strings: whether each is in it."""


def flags(texts: str) -> Flags:
    return Flags(dict.fromkeys(texts.split(), BOOL))


@dataclass(frozen=True)
class Subset:
    """``SUBSET of``."""

    of: Sort


@dataclass(frozen=True)
class Tickets(Subset):
    """A condition's tickets, of which it is known which threads may take one.

    Module Conditions has the operators on them. To the terms `NotifiedAll` is the set of sleepers,
    `Taken` leaves the tickets of all others as they are (A-TICKETS), and `Offered` is membership.
    """


ON_TICKETS = frozenset(["NotifiedAll", "Offered", "Taken"])
"""The operators on tickets that terms may have."""


@dataclass(frozen=True)
class Pairs:
    """A set of pairs."""

    first: Sort
    second: Sort


@dataclass(frozen=True)
class Bag:
    """A sequence, of which it is known how often each element is in it.

    Where a step reads the first element, it may be any that is in it: the choice is a parameter.
    """

    of: Sort


@dataclass(frozen=True)
class Words:
    """Some strings. ``called``: string -> the enumeration's value, where the names differ.

    ``null``: the value that stands for null, if it may be there.
    """

    of: Enumeration
    called: Mapping[str, str] = field(default_factory=dict)
    null: str = ""

    def value(self, text: str) -> z3.ExprRef | None:
        """The value of a string; None where it is none of these."""
        name = self.called.get(text, text)
        return getattr(self.of, name) if name in self.of.values else None


@dataclass(frozen=True)
class Listing:
    """A constant that is, for each thread, a sequence of tuples: its program.

    ``places``: the place of a tuple -> the shapes that are read there, place 0 for the last one. A
    value there is of one of them, and null to the others.
    """

    thread: Sort
    places: Mapping[int, tuple[Shape, ...]]

    @property
    def words(self) -> Words:
        """The strings that the tuples have."""
        return next(
            shape for place in self.places.values() for shape in place if isinstance(shape, Words)
        )

    def arrays(self, name: str) -> dict[str, z3.SortRef]:
        """The constants that it is to Z3: its length, and the entries at each place.

        With place 0 they have the sizes of the tuples too.
        """
        constants = {f"{name}_length": array(self.thread, INT.z3)}
        if 0 in self.places:
            constants[f"{name}_size"] = array(self.thread, INT.z3, INT.z3)
        for place, shapes in self.places.items():
            for shape in shapes:
                constants[listed(name, place, shape)] = array(self.thread, INT.z3, z3_sort(shape))
        return constants


Shape = Plain | Sort | Words | Function | Record | Subset | Pairs | Bag


def prefixed(name: str, prefix: str, values: str, null: str = "") -> Words:
    """Strings whose values have names of their own: SMT-LIB tells constants apart by name alone."""
    names = {value: f"{prefix}_{value}" for value in values.split()}
    return Words(Enumeration(name, " ".join(names.values())), names, names.get(null, ""))


def pair(first: Shape, second: Shape) -> Record:
    """``<<first, second>>``."""
    return Record({"1": first, "2": second})


@dataclass(frozen=True)
class Vocabulary:
    """The meaning of a module's names to Z3.

    ``threads``: the sort of processes. ``sets``: name of a set, a constant's or a definition's ->
    its sort. ``unions``: name of a union's sort -> the sorts of its parts. ``constants``,
    ``variables``: name -> shape; a variable of threads has that of one thread's value. A constant
    may be a definition that reads no variable. ``null``: the constant that belongs to every set;
    ``nulls``: strings that stand for it. ``elements``: string -> the set's sort that it is an
    element of; the constant ``called_...`` stands for it. ``numbered``: name of a sort whose
    elements are numbers from 1, and 0 its null -> the greatest of them; a set ``1..N`` has this
    name. ``from_zero``: those whose numbers begin with 0, and whose null is none. ``unordered``: an
    operator on sequences -> the one of Append and Tail that it is, but for the order.
    ``functions``: an operator of one constant -> its values' shape. ``searches``: operators that
    give the first place of a sequence, from a place on, that is not null. ``added``: further sorts,
    of elements without a set in the module. ``saved``: sorts of sequences that calls save.
    ``unread``: variables that have no terms. The values of expressions that read them are not
    known: a test of them may come out either way, and a variable that is set by them may have any
    value.
    """

    threads: Sort
    sets: Mapping[str, Sort]
    variables: Mapping[str, Shape]
    constants: Mapping[str, Shape | Listing] = field(default_factory=dict)
    unions: Mapping[str, tuple[Sort, ...]] = field(default_factory=dict)
    null: str = "NULL"
    nulls: frozenset[str] = frozenset()
    elements: Mapping[str, Sort] = field(default_factory=dict)
    numbered: Mapping[str, Callable[[Any], z3.ArithRef]] = field(default_factory=dict)
    from_zero: frozenset[str] = frozenset()
    unordered: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, Function] = field(default_factory=dict)
    searches: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    added: tuple[Sort, ...] = ()
    saved: tuple[Sort, ...] = ()

    @property
    def named(self) -> frozenset[str]:
        """Operators whose definitions are not looked into."""
        has_tickets = any(isinstance(variable, Tickets) for variable in self.variables.values())
        on_tickets = ON_TICKETS if has_tickets else ()
        operators = (*self.unordered, *self.functions, *self.searches, *on_tickets)
        return frozenset((*self.sets, *self.constants, *operators))

    @property
    def sorts(self) -> tuple[Sort, ...]:
        """Every sort once, that of threads first, whole numbers last."""
        sorts = {item.name: item for item in (self.threads, *self.sets.values(), *self.added)}
        return (*sorts.values(), WHOLE)

    def parts(self, shape: Shape) -> tuple[Sort, ...]:
        """The parts of a union; none for another shape."""
        return self.unions.get(shape.name, ()) if isinstance(shape, Sort) else ()

    def arrays(self) -> dict[str, z3.SortRef]:
        """The constants that put parts into their unions and take them out again."""
        arrays = {}
        for name, parts in self.unions.items():
            whole = next(item for item in self.sorts if item.name == name)
            for part in parts:
                arrays[into(part, whole)] = array(part, whole)
                arrays[out_of(part, whole)] = array(whole, part)
        for part in self.numbers():
            arrays[into(part, WHOLE)] = array(part, INT.z3)
            arrays[out_of(part, WHOLE)] = array(INT.z3, part)
        return arrays

    def numbers(self) -> list[Sort]:
        """The sorts whose elements are numbers."""
        return [item for item in self.sorts if item.name in self.numbered]

    def zero_is_null(self, of: Shape) -> bool:
        """Whether it is a sort of numbers from 1, so that 0 stands for its null."""
        return isinstance(of, Sort) and of.name in self.numbered and of.name not in self.from_zero

    def numbered_at(self, part: Sort, number: z3.ArithRef, s: Any) -> z3.BoolRef:
        """A number from the first to the greatest is that of one element; others are of none."""
        element = getattr(s, out_of(part, WHOLE))[number]
        inverse = getattr(s, into(part, WHOLE))[element] == number
        if part.name in self.from_zero:
            inverse = z3.And(element != part.null, inverse)
        return z3.If(self.in_range(part, number, s), inverse, element == part.null)

    def in_range(self, part: Sort, number: z3.ArithRef, s: Any) -> z3.BoolRef:
        """Whether a number is that of an element."""
        first = 0 if part.name in self.from_zero else 1
        return z3.And(first <= number, number <= self.numbered[part.name](s))


def items(sort: Sort) -> str:
    """The name of the array of items of an empty sequence."""
    return f"no_{sort.name}s"


def named_element(text: str) -> str:
    """The name of the constant that stands for an element which the module names by a string."""
    return "called_" + "".join(char if char.isalnum() else f"_{ord(char):x}" for char in text)


def into(part: Sort, whole: Sort) -> str:
    """The name of the array that puts a part's elements into a union."""
    return f"{part.name}_as_{whole.name}"


def out_of(part: Sort, whole: Sort) -> str:
    """The name of the array that takes them out; an element outside the part is its null."""
    return f"{whole.name}_as_{part.name}"


def listed(name: str, place: int, shape: Shape) -> str:
    """The name of the array with the entries at a place of a program's tuples."""
    kind = "word" if isinstance(shape, Words) else z3_sort(shape).name()
    return f"{name}_{place or 'last'}_{kind}"


def z3_sort(shape: Shape) -> z3.SortRef:
    """The Z3 sort of values of a shape that is no record."""
    match shape:
        case Function(domain, range_):
            return z3.ArraySort(domain.z3, z3_sort(range_))
        case Subset(sort):
            return z3.ArraySort(sort.z3, BOOL.z3)
        case Pairs(first, second):
            return z3.ArraySort(first.z3, z3.ArraySort(second.z3, BOOL.z3))
        case Bag(sort):
            return z3.ArraySort(sort.z3, INT.z3)
        case Sort() | Plain():
            return shape.z3
        case Words(sort):
            return sort.z3
    raise TypeError(f"{shape} is a record, which has a sort for each field")


def flat(name: str, shape: Shape) -> Iterator[tuple[str, Shape]]:
    """The variables that a variable is to Z3: one, or one for each field of its records."""
    fields = fields_of(shape)
    if fields is None:
        yield name, shape
        return
    for field_, field_shape in fields.items():
        yield from flat(f"{name}_{field_}", field_shape)


def fields_of(shape: Shape) -> dict[str, Shape] | None:
    """The fields of a record, or of functions to records as functions; None for another shape."""
    match shape:
        case Record(fields):
            return dict(fields)
        case Function(domain, range_) if (inner := fields_of(range_)) is not None:
            return {name: Function(domain, field_shape) for name, field_shape in inner.items()}
    return None


def blank(shape: Shape) -> Any:
    """The value that stands where there is none: null, FALSE, 0, the first of an enumeration.

    That of a record has them in its fields.
    """
    match shape:
        case Record(fields):
            return {name: blank(field_shape) for name, field_shape in fields.items()}
        case Sort():
            return shape.null
        case Words(sort):
            return getattr(sort, sort.values[0])
        case Plain():
            return z3.BoolVal(False) if shape == BOOL else z3.IntVal(0)
        case Function(domain, Sort() as sort) if domain == WHOLE:
            return z3.Const(items(sort), z3_sort(shape))
    raise TypeError(f"{shape} has no blank value")
