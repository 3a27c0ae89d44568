"""A generated system on the states of the compiled module, at a scenario's size.

Both come from one syntax tree by different ways: Python code of the specification's model, and Z3
terms, compiled to Python by ``wheelproof.prove.ts.concrete``. Their steps are compared cell by
cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wheelproof.prove.module import levels
from wheelproof.prove.module.actions import ABSENT
from wheelproof.prove.module.scopes import First
from wheelproof.prove.module.shapes import (
    Bag,
    Function,
    Listing,
    Padded,
    Pairs,
    Partial,
    Record,
    Sequence,
    Shape,
    Single,
    Subset,
    Tickets,
    Words,
    fields_of,
    flat,
    into,
    items,
    listed,
    named_element,
    out_of,
)
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.concrete import Compiled, Instance, State
from wheelproof.prove.ts.system import WHOLE, Sort
from wheelproof.tla import values
from wheelproof.tla.model import CompiledModel
from wheelproof.tla.syntax import Call, Text


class Placed:
    """A system with the elements and constants of a model's scenario."""

    INSTANCE: type[Instance] = Instance

    def __init__(
        self,
        compiled: Compiled,
        model: CompiledModel,
        constants: Mapping[str, Any],
        added: Mapping[str, tuple[Any, ...]] = {},
        **rigid: Any,
    ) -> None:
        """``constants``: as plain data. ``added``: the elements of the vocabulary's added sorts,
        or other ones of a sort.

        ``rigid``: further constants of the system.
        """
        system = compiled.system
        assert isinstance(system, Generated)
        self.system, self.model, self.words = system, model, system.WORDS
        self.null = constants[self.words.null]
        self.constants = constants
        self.sets = {name: self.members(name) for name in self.words.sets}
        elements: dict[str, Any] = {
            sort.name: self.sets[name] for name, sort in self.words.sets.items()
        }
        elements |= {self.words.threads.name: model.threads, **added}
        longest = max(
            (
                len(program)
                for name, shape in self.words.constants.items()
                if isinstance(shape, Listing)
                for program in constants[name].values()
            ),
            default=0,
        )
        longest = max(longest, *[len(elements[sort.name]) for sort in self.words.numbers()], 0)
        if system.PROCEDURES.recursive:
            longest = max(longest, levels.DEEPEST - 2)
        elements[WHOLE.name] = added.get(WHOLE.name, range(longest + 2))
        self.elements = elements
        self.instance = self.INSTANCE(
            compiled, elements, {**self.rigid(constants), **rigid}, elements[WHOLE.name]
        )

    def members(self, name: str) -> tuple[Any, ...]:
        """The elements of a set of the module, in their order."""
        if name.startswith("1.."):
            return tuple(range(1, self.constants[name.removeprefix("1..")] + 1))
        definition = self.system.MODULE.definitions.get(name)
        found = (
            self.model.env.value(definition.body)
            if definition is not None
            else self.model.env.constant(name)
        )
        return tuple(values.ordered(found))

    def rigid(self, constants: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the system's constants, in names."""
        found: dict[str, Any] = {}
        for name, shape in self.words.constants.items():
            if not isinstance(shape, Listing):
                value = constants[name] if name in constants else self.members(name)
                found |= self.named(name, shape, value)
                continue
            programs = constants[name]
            found[f"{name}_length"] = {thread: len(of) for thread, of in programs.items()}
            found[f"{name}_size"] = {
                thread: {number: len(step) for number, step in enumerate(of, 1)}
                for thread, of in programs.items()
            }
            for place, shapes in shape.places.items():
                for of in shapes:
                    found[listed(name, place, of)] = {
                        thread: {
                            number: self.value(of, step[place - 1])
                            for number, step in enumerate(program, 1)
                            if len(step) >= place and self.fits(of, step[place - 1])
                        }
                        for thread, program in programs.items()
                    }
        for name, sort in self.words.elements.items():
            found[named_element(name)] = name if name in self.elements[sort.name] else None
        for name, parts in self.words.unions.items():
            whole = next(sort for sort in self.words.sorts if sort.name == name)
            for part in parts:
                same = {element: element for element in self.elements[part.name]}
                found[into(part, whole)] = found[out_of(part, whole)] = same
        for name, function in self.words.functions.items():
            of_name = self.system.MODULE.definition(name)
            found[f"of_{name}"] = {
                element: self.model.env.value(
                    Call(of_name, (Text(element, of_name.place),), of_name.place, of_name.level)
                )
                for element in self.elements[function.domain.name]
            }
        for sort in self.words.saved:
            found[items(sort)] = {}
        for part in self.words.numbers():
            same = {element: element for element in self.elements[part.name]}
            found[into(part, WHOLE)] = found[out_of(part, WHOLE)] = same
        return found

    def fits(self, shape: Shape, value: Any) -> bool:
        """Whether a value of a program is one of this shape, or null."""
        match shape:
            case Sort():
                return value == self.null or value in self.elements[shape.name]
            case Words():
                return isinstance(value, str) and shape.value(value) is not None
        return True

    # -- a state of the model

    def state(self, frozen: Any) -> State:
        """The system's state that a state of the compiled module is."""
        return self.instance.state(self.values(frozen))

    def normal(self, state: State) -> State:
        """The one of the states that stand for the same state of the model as this one."""
        return state

    def values(self, frozen: Any) -> dict[str, Any]:
        """The variables' values in names."""
        shared, processes = frozen
        whole = dict(zip(self.model.variables, map(values.as_plain, shared), strict=True))
        for place, name in enumerate(self.model.process_variables):
            whole[name] = {
                thread: values.as_plain(own[place])
                for thread, own in zip(self.model.threads, processes, strict=True)
            }
        found: dict[str, Any] = {}
        for name, shape in self.system.SHAPES.items():
            found |= self.named(name, shape, whole[name])
        return found | self.frames(whole.get("stack", {}))

    def frames(self, stacks: Mapping[str, Any]) -> dict[str, Any]:
        """The variables that stand for the stacks; those of absent frames are blank."""
        found: dict[str, dict[str, Any]] = {}
        shapes = self.system.SHAPES
        if self.system.PROCEDURES.recursive:
            of = levels.fields(self.system.MODULE.name, self.words, self.system.PROCEDURES, shapes)
            return levels.values(of, stacks, self.value)
        for procedure, saved in self.system.PROCEDURES.saved.items():
            frames = {
                thread: frame
                for thread, stack in stacks.items()
                for frame in stack
                if frame["procedure"] == procedure
            }
            labels = self.words.variables["pc"]
            back = {thread: self.value(labels, frame["pc"]) for thread, frame in frames.items()}
            absent = self.value(labels, ABSENT)
            found[f"ret_{procedure}"] = {thread: back.get(thread, absent) for thread in stacks}
            for name in saved:
                if name in shapes:
                    own = {thread: frame[name] for thread, frame in frames.items()}
                    found |= self.named(f"saved_{procedure}_{name}", shapes[name], own)
        return found

    def named(self, name: str, shape: Shape, value: Any) -> dict[str, Any]:
        """The flat variables of a variable's value."""
        return {f"{name}{suffix}": each for suffix, each in self.parts(shape, value).items()}

    def parts(self, shape: Shape, value: Any) -> dict[str, Any]:
        """The flat variables of a value, by what their names end in."""
        match shape:
            case Partial():
                return {
                    "_has": dict.fromkeys(value, True),
                    "_value": self.value(shape.function, value),
                }
            case Sequence():
                items = [self.parts(shape.of, each) for each in value]
                numbered = {
                    f"_item{suffix}": {n: each[suffix] for n, each in enumerate(items, 1)}
                    for suffix, _ in flat("", shape.of)
                }
                return {"_length": len(value), **numbered}
            case Single(fields):
                element = self.parts(fields["item"], value[0]) if value else {}
                return {
                    "_has": bool(value),
                    **{f"_item{suffix}": each for suffix, each in element.items()},
                }
            case Record(fields):
                cells = dict(zip(fields, value)) if "1" in fields else value
                return {
                    f"_{name}{suffix}": each
                    for name, of in fields.items()
                    if name in cells or not isinstance(shape, Padded)
                    for suffix, each in self.parts(of, cells[name]).items()
                }
            case Function(_, of) if fields_of(of) is not None:
                found = {key: self.parts(of, each) for key, each in _cells(value).items()}
                return {
                    suffix: {key: each[suffix] for key, each in found.items() if suffix in each}
                    for suffix, _ in flat("", of)
                }
        return {"": self.value(shape, value)}

    def value(self, shape: Shape, value: Any) -> Any:
        match shape:
            case Function(_, of):
                return {key: self.value(of, each) for key, each in _cells(value).items()}
            case Tickets():
                return dict.fromkeys((each for ticket in value for each in ticket), True)
            case Subset():
                return dict.fromkeys(value, True)
            case Pairs():
                found: dict[Any, Any] = {}
                for one, other in value:
                    found.setdefault(one, {})[other] = True
                return found
            case Bag():
                return Counter(value)
            case Words(null=null):
                return null if null and value == self.null else shape.called.get(value, value)
            case Sort():
                none = value == self.null or value in self.words.nulls
                none = none or (value == 0 and self.words.zero_is_null(shape))
                return None if none else value
        return value

    def first(self, of: First, frozen: Any, index: int | None) -> int:
        """The element that a sequence really begins with, as the instance numbers it."""
        shared, _ = frozen
        whole = values.as_plain(shared[self.model.variables.index(of.variable)])
        if index is not None:
            domain = self.system.SHAPES[of.variable]
            assert isinstance(domain, Function)
            key = self.elements[domain.domain.name][index]
            whole = _cells(whole)[key] if index >= 0 else ()
        return self.instance.number[of.sort.name][whole[0] if whole else None]


def _cells(value: Any) -> Mapping[Any, Any]:
    """A function by its arguments; one over 1..n is a sequence, too."""
    return value if isinstance(value, Mapping) else dict(enumerate(value, 1))


@dataclass
class Differences:
    """What the comparison has seen. ``wrong``: a text for each difference."""

    states: int = 0
    edges: int = 0
    cells: int = 0
    blocked: int = 0
    taken: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)


def compare(placed: Placed, graph: Any, found: Differences) -> None:
    """Every state's steps by the terms against its edges, both ways, with what they oblige to.

    Of a label with a way that is open the terms may have more steps, and one step several times.
    ``graph``: of the compiled module (`wheelproof.graph.explorer.StateGraph`).
    """
    states = [placed.state(state) for state in graph.states]
    system, instance = placed.system, placed.instance
    names = tuple(system.VARIABLES)
    pc = graph.model.process_variables.index("pc")
    obliged = {name: _obliged(placed, name) for name in system.actions()}
    firsts = {name: _Firsts(placed, name) for name in system.actions()}
    found.states += len(states)
    for number, row in enumerate(graph.edges):
        for thread, name in enumerate(graph.model.threads):
            label = graph.states[number][1][thread][pc]
            expected = [(l, states[after]) for moved, l, after in row if moved == thread]
            actions = system.LABELS.get(label, ())
            moves = [
                move._replace(after=placed.normal(move.after))
                for move in instance.moves(states[number], actions, thread)
                if firsts[move.action].right(states[number], move.arguments, graph.states[number])
            ]
            alike = len(moves) == len(expected)
            if any(system.way(action).open for action in actions):
                to = {after for _, after in expected}
                moves = [move for move in moves if move.after in to]
                alike = {move.after for move in moves} == to
            where = f"{name}'s {label}"
            if not alike:
                found.wrong.append(
                    f"{where}: the terms have {len(moves)} steps, the module {len(expected)}"
                )
                continue
            found.blocked += not moves
            for move in moves:
                found.edges += 1
                found.taken.add(move.action)
                found.cells += len(names)
                broken = [
                    place
                    for place, holds in enumerate(obliged[move.action])
                    if not holds(states[number], *move.arguments)
                ]
                if broken:
                    found.wrong.append(
                        f"{where}: obligation {broken[0] + 1} of {move.action} fails"
                    )
                if all(move.after != after for _, after in expected):
                    other = expected[0][1]
                    cells = [
                        f"{each} is {instance.decode(of, mine)}, the module has "
                        f"{instance.decode(of, its)}"
                        for (each, of), mine, its in zip(
                            system.VARIABLES.items(), move.after, other, strict=True
                        )
                        if mine != its
                    ]
                    found.wrong.append(f"{where}, {move.action}: {'; '.join(cells)}")


class _Firsts:
    """The first elements that a way chooses: whether they are those of the module."""

    def __init__(self, placed: Placed, action: str) -> None:
        self.placed, parameters = placed, tuple(placed.system.actions()[action].parameters)
        self.of = [
            (
                parameters.index(name),
                first,
                None
                if first.index is None
                else placed.instance.function(
                    placed.instance.compiled.code(first.index, parameters)
                ),
            )
            for name, first in placed.system.way(action).firsts.items()
        ]

    def right(self, state: State, arguments: tuple[int, ...], frozen: Any) -> bool:
        return all(
            arguments[place]
            == self.placed.first(first, frozen, None if index is None else index(state, *arguments))
            for place, first, index in self.of
        )


def _obliged(placed: Placed, action: str) -> list[Any]:
    compiled, instance = placed.instance.compiled, placed.instance
    parameters = tuple(placed.system.actions()[action].parameters)
    return [
        instance.function(compiled.code(obligation, parameters))
        for obligation in placed.system.obligations(action)
    ]
