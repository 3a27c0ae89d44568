"""The steps of a label: guards and next values, one for each label that it may go on to.

The stack is as ``stacks`` has it. Another use of it than by calls and returns is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import z3

from wheelproof.prove.module import levels, spaced
from wheelproof.prove.module.scopes import Frames, Made, Names, shown
from wheelproof.prove.module.shapes import Function, Plain, Shape, Vocabulary, Words
from wheelproof.prove.module.singles import everywhere, is_everywhere
from wheelproof.prove.module.stacks import Procedures, frame_of
from wheelproof.prove.module.terms import Terms
from wheelproof.prove.module.values import Value, gather, merge, same
from wheelproof.prove.module.ways import RETURN, Way, copy_of, exclude, exhaust, partition, simple
from wheelproof.prove.ts.system import WHOLE, Sort, nullable, present
from wheelproof.tla.layout import actions as steps_of
from wheelproof.tla.layout import label_of
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Expression,
    Let,
    Level,
    Module,
    OutsideSubset,
    Parameter,
    Text,
    Variable,
    children,
    variables_of,
)

ABSENT = "Nowhere"
"""The value of the labels' enumeration that stands for "not on the stack"."""


class Actions:
    """The ways through the labels of a module, as terms over ``s``."""

    def __init__(
        self,
        module: Module,
        words: Vocabulary,
        shapes: Mapping[str, Shape],
        procedures: Procedures,
        s: SimpleNamespace,
    ) -> None:
        self.module, self.words, self.shapes, self.of, self.s = module, words, shapes, procedures, s
        labels = words.variables["pc"]
        assert isinstance(labels, Words)
        self.labels = labels
        absent = labels.value(ABSENT)
        assert absent is not None
        self.absent = absent
        self.steps = {label_of(definition): definition for definition in steps_of(module)}
        self.threads = frozenset(module.variables[module.variables.index("pc") :])

    def ways(self, label: str, thread: z3.ExprRef) -> list[Way]:
        """The ways through a label's step, those to one label as one. OutsideSubset: see there."""
        definition = self.steps[label]
        self.label, self.thread, self.place = label, thread, definition.place
        self.frames = (
            self.level_frames(label, self.absent)
            if self.of.recursive
            else Frames(
                self.of.of[label],
                {name: getattr(self.s, f"ret_{name}") for name in self.of.names},
                {
                    (name, local): gather(f"saved_{name}_{local}", self.shapes[local], self.s)
                    for name, saved_names in self.of.saved.items()
                    for local in saved_names
                    if local in self.shapes
                },
                self.absent,
            )
        )
        self.found: list[Way] = []
        names: Names = {
            formal: Made(thread, self.words.threads) for formal in definition.formals[:1]
        }
        self.follow([(definition.body, names)], Way())
        return self.join_alike(self.found)

    def level_frames(self, label: str, absent: z3.ExprRef) -> Frames:
        """The frames of a label where stacks have levels: the innermost alone is read."""
        top = self.of.of[label]
        values = {
            (top, name): levels.innermost(self.s, f"stack_{name}", self.shapes[name])
            for name in self.of.saved.get(top, ())
            if name in self.shapes
        }
        back: dict[str, Any] = {top: levels.Innermost(self.s, levels.RETURN)} if top else {}
        return Frames(top, back, values, absent)

    # -- conjuncts, one by one

    def terms(self, way: Way) -> Terms:
        return Terms(
            self.words,
            self.s,
            self.shapes,
            self.frames,
            way.after,
            way.obligations,
            kept=way.same,
            firsts=way.firsts,
            chosen=way.chosen,
            defining=way.defining,
            extremes=way.extremes,
        )

    def follow(self, todo: list[tuple[Expression, Names]], way: Way) -> None:
        if not todo:
            return self.leaf(way)
        (node, names), rest = todo[0], todo[1:]
        terms = self.terms(way)
        match node:
            case Builtin("$ConjList" | "\\land", arguments):
                return self.follow([*((argument, names) for argument in arguments), *rest], way)
            case Builtin("$DisjList" | "\\lor", arguments) if node.level == Level.ACTION:
                for argument in arguments:
                    self.follow([(argument, names), *rest], copy_of(way))
                return None
            case Builtin("$IfThenElse", (test, then, otherwise)) if node.level == Level.ACTION:
                way.open = way.open or bool(self.words.unread & variables_of(test))
                branch_guards = self.test_guards(test, terms, names)
                for branch, guards in zip((then, otherwise), branch_guards, strict=True):
                    if any(z3.is_false(z3.simplify(guard)) for guard in guards):
                        continue
                    along = copy_of(way)
                    along.guards += guards
                    self.follow([(branch, names), *rest], along)
                return None
            case Builtin("$BoundedExists", (body,), (bound,)) if node.level == Level.ACTION:
                if bound.pattern or bound.domain is None or len(bound.formals) != 1:
                    raise OutsideSubset("\\E over several names", node.place)
                sort = terms.sort_of(bound.domain, names)
                choice = f"with_{bound.formals[0].name}"
                element = z3.Const(f"{choice}!", sort.z3)
                way.chosen[choice] = element, present(sort)
                inner = {**names, bound.formals[0]: Made(element, sort)}
                return self.follow([(body, inner), *rest], way)
            case Call(definition) if node.level == Level.ACTION and not definition.standard:
                return self.follow([(definition.body, terms.inside(node, names)), *rest], way)
            case Let(_, body) if node.level == Level.ACTION:
                return self.follow([(body, names), *rest], way)
            case Builtin("UNCHANGED", (same,)):
                way.set |= variables_of(same)
                way.same |= variables_of(same) & set(self.shapes)
                return self.follow(rest, way)
            case Builtin("=", (Builtin("'", (Variable(name),)), value)):
                self.assign(name, value, names, way)
                return self.follow(rest, way)
            case _ if node.level == Level.ACTION and "'" in _operators(node):
                raise OutsideSubset(f"{shown(node)} of next values", node.place)
        if self.words.unread & variables_of(node):
            way.open = True
        else:
            way.guards.append(terms.truth(node, names))
        return self.follow(rest, way)

    def test_guards(
        self, test: Expression, terms: Terms, names: Names
    ) -> tuple[list[z3.BoolRef], list[z3.BoolRef]]:
        """The guards where a test holds, and those where it does not.

        A test that reads variables without terms gives those of its other parts.
        """
        if not self.words.unread & variables_of(test):
            condition = terms.truth(test, names)
            return [condition], [z3.Not(condition)]
        match test:
            case Builtin("$ConjList" | "\\land", parts):
                return [e for part in parts for e in self.test_guards(part, terms, names)[0]], []
            case Builtin("$DisjList" | "\\lor", parts):
                return [], [e for part in parts for e in self.test_guards(part, terms, names)[1]]
        return [], []

    def leaf(self, way: Way) -> None:
        if not way.to:
            raise OutsideSubset(f"{self.label}, which gives pc no next value,", self.place)
        if missing := [name for name in self.module.variables if name not in way.set]:
            raise OutsideSubset(
                f"{self.label}, which gives {missing[0]} no next value,", self.place
            )
        way.guards = [guard for guard in map(z3.simplify, way.guards) if not z3.is_true(guard)]
        if any(map(z3.is_false, way.guards)) or exclude(way.guards):
            return
        way.guards += [guard for first in way.firsts.values() for guard in first.guards()]
        way.guards += way.defining
        way.after = {
            name: simple(spaced.next_value(value, gather(name, self.shapes[name], self.s)))
            if spaced.is_view(value)
            else simple(value)
            for name, value in way.after.items()
        }
        way.kept = {key: simple(value) for key, value in way.kept.items()}
        short = [z3.simplify(obligation) for obligation in way.obligations]
        way.obligations = [
            obligation
            for place, obligation in enumerate(short)
            if not z3.is_true(obligation)
            and not any(obligation.eq(earlier) for earlier in short[:place])
        ]
        self.found.append(way)

    def assign(self, name: str, value: Expression, names: Names, way: Way) -> None:
        """``name' = value``."""
        if name in way.set:
            raise OutsideSubset(f"two next values of {name}", value.place)
        way.set.add(name)
        if name in self.words.unread:
            return None
        if name != "stack" and self.words.unread & variables_of(value):
            return self.choose(name, value, names, way)
        if isinstance(value, Variable) and value.name == name:
            if name not in ("stack", "pc"):
                way.after[name] = self.terms(way).variable(name, value)
            return None
        if name == "stack":
            return self.stack(value, names, way)
        if name == "pc":
            return self.goes(value, names, way)
        terms, shape = self.terms(way), self.shapes.get(name)
        if shape is None:
            terms.variable(name, value)
        match value:
            case Builtin("$FcnConstructor", (body,), (bound,)) if isinstance(shape, Function):
                if bound.domain is None or len(bound.formals) != 1 or bound.pattern:
                    raise OutsideSubset("a function of several arguments", value.place)
                if terms.sort_of(bound.domain, names) != shape.domain:
                    raise OutsideSubset(f"{name}' as a function of another set", value.place)
                index = z3.Const(f"every_{bound.formals[0].name}", shape.domain.z3)
                inner = {**names, bound.formals[0]: Made(index, shape.domain)}
                terms.bound = ((index, shape.domain),)
                with terms.bound_to(index, value):
                    image = terms.of(body, shape.range, inner)
                old = terms.variable(name, value)
                members, null = terms.members(bound.domain, names), shape.domain.null
                outside = index == null if members is None else z3.Not(members[index])
                way.after[name] = everywhere(index, outside, old, image)
            case _:
                assert shape is not None
                way.after[name] = terms.of(value, shape, names)
        return None

    def choose(self, name: str, value: Expression, names: Names, way: Way) -> None:
        """A next value of a thread's variable that is not known: any element, or null."""
        shape = self.shapes.get(name)
        if not isinstance(shape, Function) or not isinstance(shape.range, Sort | Plain):
            raise OutsideSubset(f"a next value of {name} that is not known", value.place)
        self.own_value(name, value, names)
        sort = shape.range if isinstance(shape.range, Sort) else WHOLE
        element = z3.Const(f"chosen_{name}!", sort.z3)
        way.chosen[f"chosen_{name}"] = element, nullable(sort)
        way.open = True
        way.after[name] = z3.Store(getattr(self.s, name), self.thread, element)

    # -- pc and the stack

    def own_value(self, name: str, value: Expression, names: Names) -> Expression:
        """``e`` of ``[name EXCEPT ![self] = e]``."""
        match value:
            case Builtin(
                "$Except",
                (Variable(variable), Builtin("$Pair", (Builtin("$Seq", (index,)), inside))),
            ) if variable == name and isinstance(index, Parameter):
                argument = names[index.formal]
                if isinstance(argument, Made) and argument.term.eq(self.thread):
                    return inside
        raise OutsideSubset(f"a next value of all threads' {name}", value.place)

    def goes(self, value: Expression, names: Names, way: Way) -> None:
        """``pc' = [pc EXCEPT ![self] = ...]``: a label, or where the procedure returns to."""
        match self.own_value("pc", value, names):
            case Text(label):
                to, target = label, self.labels.value(label)
            case Builtin("$RcdSelect", (Call() as head, Text("pc"))) if head.name == "Head":
                to, target = RETURN, self.terms(way).innermost(head, "pc", names)
            case expression:
                raise OutsideSubset(f"{shown(expression)} as a next label", value.place)
        if target is None:
            raise OutsideSubset(f"the label {to}, which the vocabulary lacks,", value.place)
        way.to = to
        way.after["pc"] = z3.Store(self.s.pc, self.thread, target)

    def stack(self, value: Expression, names: Names, way: Way) -> None:
        """A call, a return, or a return that calls: a frame pushed, popped, or both."""
        match self.own_value("stack", value, names):
            case Call(_, (Builtin("$FcnApply", (Variable("stack"), _)),)) as tail if (
                tail.name == "Tail"
            ):
                self.pop(way)
            case Call(_, (Builtin("$Tuple", (Builtin() as frame,)), below)) as concatenation if (
                concatenation.name == "\\o"
            ):
                match below:
                    case Builtin("$FcnApply", (Variable("stack"), _)):
                        self.push(frame, names, way)
                    case Call() if below.name == "Tail":
                        self.push(frame, names, way)
                        self.pop(way)
                    case _:
                        raise OutsideSubset("this use of the stack", value.place)
            case expression:
                raise OutsideSubset("this use of the stack", expression.place)

    def push(self, frame: Builtin, names: Names, way: Way) -> None:
        fields, terms = frame_of(frame), self.terms(way)
        procedure = fields["procedure"]
        assert isinstance(procedure, Text)
        # What a call saves are values before the step: a translation may write it behind others.
        terms.after = {}
        way.back[procedure.value] = terms.of(fields["pc"], self.labels, names)
        for name in self.of.saved[procedure.value]:
            if name in self.shapes:
                shape = self.shapes[name]
                assert isinstance(shape, Function)
                way.kept[procedure.value, name] = terms.of(fields[name], shape.range, names)

    def pop(self, way: Way) -> None:
        if not self.frames.top:
            raise OutsideSubset("a return from a process", self.place)
        if self.of.recursive:
            way.popped = True
            return
        way.back[self.frames.top] = self.frames.absent

    # -- ways to the same label

    def join_alike(self, ways: list[Way]) -> list[Way]:
        """One way for all that go to one label with the same frames.

        Two that may both be taken in one state stay two, unless they set the same values.
        """
        out: list[Way] = []
        for way in ways:
            same = next((candidate for candidate in out if self.alike(candidate, way)), None)
            if same is None:
                out.append(way)
            else:
                self.join(same, way)
        return out

    def alike(self, first: Way, second: Way) -> bool:
        return (
            (first.to, first.popped, set(first.back), set(first.kept))
            == (second.to, second.popped, set(second.back), set(second.kept))
            and all(first.back[name].eq(second.back[name]) for name in first.back)
            and not any(way.chosen or way.firsts or way.extremes for way in (first, second))
            and not any(
                is_everywhere(value) for way in (first, second) for value in way.after.values()
            )
            and (self.set_the_same(first, second) or exclude([*partition(first, second)[1:]]))
        )

    def values(self, first: Way, second: Way) -> dict[str, list[Value]]:
        """The next values, by both ways, of the variables that one of them sets."""
        return {
            name: [
                way.after[name] if name in way.after else gather(name, self.shapes[name], self.s)
                for way in (first, second)
            ]
            for name in dict.fromkeys((*first.after, *second.after))
            if name != "pc"
        }

    def set_the_same(self, first: Way, second: Way) -> bool:
        pairs = [[first.kept[key], second.kept[key]] for key in first.kept]
        return all(same(*pair) for pair in (*self.values(first, second).values(), *pairs))

    def join(self, target: Way, source: Way) -> None:
        target.open = target.open or source.open
        common, first, second = partition(target, source)
        for name, values in self.values(target, source).items():
            target.after[name] = merge(first, *values)
        for key in target.kept:
            target.kept[key] = merge(first, target.kept[key], source.kept[key])
        target.obligations = [
            *[z3.Implies(first, obligation) for obligation in target.obligations],
            *[z3.Implies(second, obligation) for obligation in source.obligations],
        ]
        target.guards = [*common, *([] if exhaust(first, second) else [z3.Or(first, second)])]


def _operators(node: Expression) -> set[str]:
    operators, waiting = set(), [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Builtin):
            operators.add(here.name)
        waiting += children(here)
    return operators
