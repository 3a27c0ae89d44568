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
    BOOL,
    Bag,
    Function,
    Listing,
    Padded,
    Pairs,
    Partial,
    Plain,
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
        compilation: Compiled,
        model: CompiledModel,
        constants: Mapping[str, Any],
        added: Mapping[str, tuple[Any, ...]] = {},
        **rigid: Any,
    ) -> None:
        """``constants``: as plain data. ``added``: the elements of the vocabulary's added sorts,
        or other ones of a sort.

        ``rigid``: further constants of the system.
        """
        system = compilation.system
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
            compilation, elements, {**self.rigid(constants), **rigid}, elements[WHOLE.name]
        )

    def members(self, name: str) -> tuple[Any, ...]:
        """The elements of a set of the module, in their order."""
        if name.startswith("1.."):
            return tuple(range(1, self.constants[name.removeprefix("1..")] + 1))
        definition = self.system.MODULE.definitions.get(name)
        value = (
            self.model.env.value(definition.body)
            if definition is not None
            else self.model.env.constant(name)
        )
        return tuple(values.ordered(value))

    def defined(self, name: str, shape: Shape) -> Any:
        """The value of a definition that the vocabulary has as a constant."""
        if isinstance(shape, Subset):
            return self.members(name)
        return self.model.env.value(self.system.MODULE.definition(name).body)

    def rigid(self, constants: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the system's constants, in names."""
        table: dict[str, Any] = {}
        for name, shape in self.words.constants.items():
            if not isinstance(shape, Listing):
                value = constants[name] if name in constants else self.defined(name, shape)
                table |= self.named(name, shape, value)
                continue
            programs = constants[name]
            table[f"{name}_length"] = {thread: len(program) for thread, program in programs.items()}
            table[f"{name}_size"] = {
                thread: {number: len(step) for number, step in enumerate(program, 1)}
                for thread, program in programs.items()
            }
            for place, shapes in shape.places.items():
                for entry in shapes:
                    table[listed(name, place, entry)] = {
                        thread: {
                            number: self.value(entry, step[place - 1])
                            for number, step in enumerate(program, 1)
                            if len(step) >= place and self.fits(entry, step[place - 1])
                        }
                        for thread, program in programs.items()
                    }
        for name, sort in self.words.elements.items():
            table[named_element(name)] = name if name in self.elements[sort.name] else None
        for name, parts in self.words.unions.items():
            whole = next(sort for sort in self.words.sorts if sort.name == name)
            for part in parts:
                same = {element: element for element in self.elements[part.name]}
                table[into(part, whole)] = table[out_of(part, whole)] = same
        for name, function in self.words.functions.items():
            of_name = self.system.MODULE.definition(name)
            table[f"of_{name}"] = {
                element: self.model.env.value(
                    Call(of_name, (Text(element, of_name.place),), of_name.place, of_name.level)
                )
                for element in self.elements[function.domain.name]
            }
        for sort in self.words.saved:
            table[items(sort)] = {}
        for part in self.words.numbers():
            same = {element: element for element in self.elements[part.name]}
            table[into(part, WHOLE)] = table[out_of(part, WHOLE)] = same
        return table

    def fits(self, shape: Shape, value: Any) -> bool:
        """Whether a value of a program is one of this shape, or null."""
        match shape:
            case Sort():
                return value == self.null or value in self.elements[shape.name]
            case Words():
                return isinstance(value, str) and shape.value(value) is not None
            case Plain():
                return type(self.value(shape, value)) is (bool if shape == BOOL else int)
        return True

    # -- a state of the model

    def state(self, module_state: Any) -> State:
        """The system's state that a state of the compiled module is."""
        return self.instance.state(self.values(module_state))

    def normal(self, state: State) -> State:
        """The one of the states that stand for the same state of the model as this one."""
        return state

    def values(self, module_state: Any) -> dict[str, Any]:
        """The variables' values in names."""
        shared_values, processes = module_state
        whole = dict(zip(self.model.variables, map(values.as_plain, shared_values), strict=True))
        for place, name in enumerate(self.model.process_variables):
            whole[name] = {
                thread: values.as_plain(process[place])
                for thread, process in zip(self.model.threads, processes, strict=True)
            }
        assignment: dict[str, Any] = {}
        for name, shape in self.system.SHAPES.items():
            assignment |= self.named(name, shape, whole[name])
        return assignment | self.frames(whole.get("stack", {}))

    def frames(self, stacks: Mapping[str, Any]) -> dict[str, Any]:
        """The variables that stand for the stacks; those of absent frames are blank."""
        assignment: dict[str, dict[str, Any]] = {}
        shapes = self.system.SHAPES
        if self.system.PROCEDURES.recursive:
            fields = levels.fields(
                self.system.MODULE.name, self.words, self.system.PROCEDURES, shapes
            )
            return levels.values(fields, stacks, self.value)
        for procedure, names in self.system.PROCEDURES.saved.items():
            frames = {
                thread: frame
                for thread, stack in stacks.items()
                for frame in stack
                if frame["procedure"] == procedure
            }
            labels = self.words.variables["pc"]
            back = {thread: self.value(labels, frame["pc"]) for thread, frame in frames.items()}
            absent = self.value(labels, ABSENT)
            assignment[f"ret_{procedure}"] = {thread: back.get(thread, absent) for thread in stacks}
            for name in names:
                if name in shapes:
                    cells = {thread: frame[name] for thread, frame in frames.items()}
                    assignment |= self.named(f"saved_{procedure}_{name}", shapes[name], cells)
        return assignment

    def named(self, name: str, shape: Shape, value: Any) -> dict[str, Any]:
        """The flat variables of a variable's value."""
        return {f"{name}{suffix}": part for suffix, part in self.parts(shape, value).items()}

    def parts(self, shape: Shape, value: Any) -> dict[str, Any]:
        """The flat variables of a value, by the ends of their names."""
        match shape:
            case Partial():
                return {
                    "_has": dict.fromkeys(value, True),
                    "_value": self.value(shape.function, value),
                }
            case Sequence():
                items = [self.parts(shape.of, item) for item in value]
                columns = {
                    f"_item{suffix}": {
                        place: item[suffix] for place, item in enumerate(items, 1) if suffix in item
                    }
                    for suffix, _ in flat("", shape.of)
                }
                return {"_length": len(value), **columns}
            case Single(fields):
                element = self.parts(fields["item"], value[0]) if value else {}
                return {
                    "_has": bool(value),
                    **{f"_item{suffix}": part for suffix, part in element.items()},
                }
            case Record(fields):
                cells = dict(zip(fields, value)) if "1" in fields else value
                return {
                    f"_{name}{suffix}": part
                    for name, field_shape in fields.items()
                    if name in cells or not isinstance(shape, Padded)
                    for suffix, part in self.parts(field_shape, cells[name]).items()
                }
            case Function(_, range_) if fields_of(range_) is not None:
                parts = {key: self.parts(range_, cell) for key, cell in _cells(value).items()}
                return {
                    suffix: {key: part[suffix] for key, part in parts.items() if suffix in part}
                    for suffix, _ in flat("", range_)
                }
        return {"": self.value(shape, value)}

    def value(self, shape: Shape, value: Any) -> Any:
        match shape:
            case Function(_, range_):
                return {key: self.value(range_, cell) for key, cell in _cells(value).items()}
            case Tickets():
                return dict.fromkeys((member for ticket in value for member in ticket), True)
            case Subset():
                return dict.fromkeys(value, True)
            case Pairs():
                relation: dict[Any, Any] = {}
                for first, second in value:
                    relation.setdefault(first, {})[second] = True
                return relation
            case Bag():
                return Counter(value)
            case Words(null=null):
                return null if null and value == self.null else shape.called.get(value, value)
            case Sort():
                none = value == self.null or value in self.words.nulls
                none = none or (value == 0 and self.words.zero_is_null(shape))
                return None if none else value
        return value

    def first(self, head: First, module_state: Any, index: int | None) -> int:
        """The element that a sequence really begins with, as the instance numbers it."""
        shared_values, _ = module_state
        whole = values.as_plain(shared_values[self.model.variables.index(head.variable)])
        if index is not None:
            domain = self.system.SHAPES[head.variable]
            assert isinstance(domain, Function)
            key = self.elements[domain.domain.name][index]
            whole = _cells(whole)[key] if index >= 0 else ()
        return self.instance.number[head.sort.name][whole[0] if whole else None]


def _cells(value: Any) -> Mapping[Any, Any]:
    """A function by its arguments; one over 1..n is a sequence, too."""
    return value if isinstance(value, Mapping) else dict(enumerate(value, 1))


@dataclass
class Differences:
    """The findings of the comparison. ``wrong``: a text for each difference."""

    states: int = 0
    edges: int = 0
    cells: int = 0
    blocked: int = 0
    taken: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)


def compare(placement: Placed, graph: Any, differences: Differences) -> None:
    """Every state's steps by the terms against its edges, both ways, with their obligations.

    Of a label with a way that is open the terms may have more steps, and one step several times.
    ``graph``: of the compiled module (`wheelproof.graph.explorer.StateGraph`).
    """
    states = [placement.state(state) for state in graph.states]
    system, instance = placement.system, placement.instance
    names = tuple(system.VARIABLES)
    pc = graph.model.process_variables.index("pc")
    obligations = {name: _obligation_checks(placement, name) for name in system.actions()}
    firsts = {name: _Firsts(placement, name) for name in system.actions()}
    differences.states += len(states)
    for number, row in enumerate(graph.edges):
        for thread, name in enumerate(graph.model.threads):
            label = graph.states[number][1][thread][pc]
            successors = [(l, states[after]) for mover, l, after in row if mover == thread]
            actions = system.LABELS.get(label, ())
            moves = [
                move._replace(after=placement.normal(move.after))
                for move in instance.moves(states[number], actions, thread)
                if firsts[move.action].right(states[number], move.arguments, graph.states[number])
            ]
            alike = len(moves) == len(successors)
            if any(system.way(action).open for action in actions):
                to = {after for _, after in successors}
                moves = [move for move in moves if move.after in to]
                alike = {move.after for move in moves} == to
            where = f"{name}'s {label}"
            if not alike:
                differences.wrong.append(
                    f"{where}: the terms have {len(moves)} steps, the module {len(successors)}"
                )
                continue
            differences.blocked += not moves
            for move in moves:
                differences.edges += 1
                differences.taken.add(move.action)
                differences.cells += len(names)
                violations = [
                    place
                    for place, holds in enumerate(obligations[move.action])
                    if not holds(states[number], *move.arguments)
                ]
                if violations:
                    differences.wrong.append(
                        f"{where}: obligation {violations[0] + 1} of {move.action} fails"
                    )
                if all(move.after != after for _, after in successors):
                    successor = successors[0][1]
                    cells = [
                        f"{variable} is {instance.decode(sort, value)}, the module has "
                        f"{instance.decode(sort, its)}"
                        for (variable, sort), value, its in zip(
                            system.VARIABLES.items(), move.after, successor, strict=True
                        )
                        if value != its
                    ]
                    differences.wrong.append(f"{where}, {move.action}: {'; '.join(cells)}")


class _Firsts:
    """The first elements that a way chooses: whether they are those of the module."""

    def __init__(self, placement: Placed, action: str) -> None:
        self.placed, parameters = placement, tuple(placement.system.actions()[action].parameters)
        self.of = [
            (
                parameters.index(name),
                first,
                None
                if first.index is None
                else placement.instance.function(
                    placement.instance.compiled.code(first.index, parameters)
                ),
            )
            for name, first in placement.system.way(action).firsts.items()
        ]

    def right(self, state: State, arguments: tuple[int, ...], module_state: Any) -> bool:
        return all(
            arguments[place]
            == self.placed.first(
                first, module_state, None if index is None else index(state, *arguments)
            )
            for place, first, index in self.of
        )


def _obligation_checks(placement: Placed, action: str) -> list[Any]:
    compilation, instance = placement.instance.compiled, placement.instance
    parameters = tuple(placement.system.actions()[action].parameters)
    return [
        instance.function(compilation.code(obligation, parameters))
        for obligation in placement.system.obligations(action)
    ]
