"""Transition systems of any size: sorts, variables, actions as z3 terms, proof obligations.

A system is a class. Its variables are arrays over uninterpreted sorts, so that there is no bound on
threads or objects; its methods are *actions* (parameters -> guards and updates), *conjuncts* of the
inductive invariant, and *safety* properties that the invariant implies. A state after a step is the
state before it with the updates substituted: no frame axioms, no primes. The same terms are
evaluated on finite states by ``wheelproof.prove.ts.concrete``, so that the same formulas are proved
and compared with a model.

Source: the substitution form is Dijkstra's weakest precondition; Init / Step / Implication is
Floyd's and Lamport's invariance rule.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple

import z3

from wheelproof.prove.solvers import trusted


class Sort(NamedTuple):
    """An uninterpreted sort, and the constant of it that stands for "none", if it has one."""

    z3: z3.SortRef
    null: z3.ExprRef | None = None

    @property
    def name(self) -> str:
        return str(self.z3.name())

    def consts(self, names: str) -> list[z3.ExprRef]:
        """Constants of this sort, to be bound by quantifiers."""
        return list(z3.Consts(names, self.z3))


def sort(name: str, null: str = "") -> Sort:
    """An uninterpreted sort. ``null``: the name of its "none".

    Quantifiers range over the null too, parameters do not.
    """
    domain = z3.DeclareSort(name)
    return Sort(domain, z3.Const(null, domain) if null else None)


WHOLE = Sort(z3.IntSort())
"""The sort of parameters that are whole numbers; a finite instance tries those of a range."""


class Enumeration:
    """A finite sort whose values are attributes: ``Pc.Idle``.

    Z3 declares a name once in a context. Those made are kept with the context, so that a module may
    be imported anew.
    """

    def __init__(self, name: str, values: str) -> None:
        enumerations = vars(z3.main_ctx()).setdefault("enumerations", {})
        key = (name, tuple(values.split()))
        if key not in enumerations:
            enumerations[key] = z3.EnumSort(name, key[1])
        self.z3, constants = enumerations[key]
        self.values = key[1]
        self._of = dict(zip(self.values, constants))

    def __getattr__(self, value: str) -> z3.ExprRef:
        try:
            return self.__dict__["_of"][value]
        except KeyError:
            raise AttributeError(
                f"there is no {value} among {', '.join(self.__dict__.get('values', ()))}"
            ) from None


def array(*sorts: Any) -> z3.SortRef:
    """``array(A, B, C)``: an array from A to arrays from B to C.

    It is nested, since SMT-LIB has no arrays of several indices.
    """
    plain = [item.z3 if isinstance(item, (Sort, Enumeration)) else item for item in sorts]
    result = plain[-1]
    for index in reversed(plain[:-1]):
        result = z3.ArraySort(index, result)
    return result


class Everywhere(NamedTuple):
    """The value of an array that a step sets at every place: at ``index`` it is ``value``.

    As a term it is a new array, defined by the step's last guard: SMT-LIB has no
    arrays by comprehension.
    """

    index: z3.ExprRef
    value: z3.ExprRef


class Step(NamedTuple):
    """The effect of an action: it may be taken where all ``guards`` hold, and sets ``updates``.

    ``defined``: for a variable that is set everywhere, the comprehension that its update stands
    for.
    """

    guards: tuple[z3.BoolRef, ...]
    updates: Mapping[str, z3.ExprRef | Everywhere]
    defined: Mapping[str, Everywhere] = {}


def when(*guards: z3.BoolRef, **updates: z3.ExprRef) -> Step:
    """A step: ``when(guard, ..., variable=value, ...)``."""
    return Step(guards, updates)


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action. ``nullable``: it may be its sort's null."""

    sort: Sort
    nullable: bool = False


def nullable(sort: Sort) -> Parameter:
    return Parameter(sort, True)


def present(sort: Sort) -> Parameter:
    return Parameter(sort)


@dataclass(frozen=True)
class Action:
    """An action's declaration. ``begins``: an operation of a thread's program starts with it."""

    name: str
    parameters: Mapping[str, Parameter]
    method: Callable[..., Any]
    begins: bool = False


@dataclass(frozen=True)
class Formula:
    """A conjunct of the invariant or a safety property.

    ``says``: in words. ``kept``: why it stays although no step needs it.

    ``enabled``: it is about actions that can be taken, which a simulation alone does not carry
    over to a model.
    """

    name: str
    says: str
    method: Callable[..., Any]
    theorem: str = ""
    kept: str = ""
    enabled: bool = False


def action(*, begins: bool = False, **parameters: Sort | Parameter) -> Callable[[Any], Any]:
    """Declares a method as an action, with its parameters' sorts.

    The first parameter is the thread that moves, by convention ``t``.
    """
    full = {
        name: item if isinstance(item, Parameter) else Parameter(item)
        for name, item in parameters.items()
    }

    def declare(method: Any) -> Any:
        method.declared = Action(method.__name__, full, method, begins)
        return method

    return declare


def conjunct(method: Any) -> Any:
    """Declares a method as a conjunct of the inductive invariant."""
    method.declared = Formula(method.__name__, _says(method), method)
    return method


def kept(reason: str) -> Callable[[Any], Any]:
    """Declares a conjunct that no proof needs, with the reason why it stays."""

    def declare(method: Any) -> Any:
        method.declared = Formula(method.__name__, _says(method), method, kept=reason)
        return method

    return declare


def safety(theorem: str, enabled: bool = False) -> Callable[[Any], Any]:
    """Declares a method as a safety property of the theorem with this id.

    It follows from the invariant.
    """

    def declare(method: Any) -> Any:
        method.declared = Formula(
            method.__name__, _says(method), method, theorem=theorem, enabled=enabled
        )
        return method

    return declare


def _says(method: Callable[..., Any]) -> str:
    return " ".join((inspect.getdoc(method) or "").split())


class System:
    """A transition system. A mutant is a subclass that overrides an action.

    Subclasses declare ``VARIABLES``, ``RIGID`` and methods.

    VARIABLES: name -> sort, of those that steps change; RIGID: name -> sort, of the others.
    """

    VARIABLES: Mapping[str, z3.SortRef] = {}
    RIGID: Mapping[str, z3.SortRef] = {}
    SORTS: tuple[Sort, ...] = ()
    """The sorts of elements; the first is that of the threads."""
    STATES = ""
    """The subject of a state, in words: one operation, one bucket."""

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The formulas that hold at the start."""
        raise NotImplementedError

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The assumptions about the rigid constants; by default none."""
        return []

    def theorems(
        self, s: SimpleNamespace, name: str, values: Mapping[str, z3.ExprRef]
    ) -> dict[str, z3.BoolRef]:
        """Instances of theorems for an action's conditions, by "theorem #number"; none by default.

        The action "" stands for those of safety.
        """
        return {}

    # -- what the class declares

    @classmethod
    def declared(cls, kind: type) -> dict[str, Any]:
        """Actions or formulas by name, those of base classes first.

        An override keeps its place. It takes the name away if it is neither.
        """
        names = dict.fromkeys(name for base in reversed(cls.__mro__) for name in vars(base))
        declarations = {name: getattr(getattr(cls, name), "declared", None) for name in names}
        return {name: item for name, item in declarations.items() if isinstance(item, kind)}

    @classmethod
    def actions(cls) -> dict[str, Action]:
        return cls.declared(Action)

    @classmethod
    def conjuncts(cls) -> dict[str, Formula]:
        return {name: item for name, item in cls.declared(Formula).items() if not item.theorem}

    @classmethod
    def safety(cls) -> dict[str, Formula]:
        return {name: item for name, item in cls.declared(Formula).items() if item.theorem}

    # -- as terms

    def symbols(self) -> SimpleNamespace:
        """The state as constants, one for each variable."""
        return SimpleNamespace(
            **{name: z3.Const(name, of) for name, of in {**self.RIGID, **self.VARIABLES}.items()}
        )

    def arguments(self, action: Action) -> dict[str, z3.ExprRef]:
        """A constant for each parameter of an action."""
        parameters = action.parameters.items()
        return {name: z3.Const(f"{name}!", item.sort.z3) for name, item in parameters}

    def step(self, name: str, s: SimpleNamespace) -> tuple[dict[str, z3.ExprRef], Step]:
        """An action's parameters and its step from ``s``; its first guards exclude nulls."""
        action = self.actions()[name]
        values = self.arguments(action)
        step = getattr(self, name)(s, **values)
        if unknown := set(step.updates) - set(self.VARIABLES):
            raise TypeError(
                f"{type(self).__name__}.{name} sets {', '.join(sorted(unknown))}, which is no "
                "variable of the system"
            )
        present = tuple(
            values[p] != item.sort.null
            for p, item in action.parameters.items()
            if item.sort.null is not None and not item.nullable
        )
        fills = {
            variable: value
            for variable, value in step.updates.items()
            if isinstance(value, Everywhere)
        }
        arrays = {
            variable: z3.Const(f"{variable}!", self.VARIABLES[variable]) for variable in fills
        }
        contents = tuple(
            z3.ForAll([fill.index], arrays[variable][fill.index] == fill.value)
            for variable, fill in fills.items()
        )
        return values, Step(present + step.guards + contents, {**step.updates, **arrays}, fills)

    def after(self, s: SimpleNamespace, step: Step) -> SimpleNamespace:
        """The state after a step: the updates substituted."""
        return SimpleNamespace(**(vars(s) | dict(step.updates)))

    def formula(self, name: str, s: SimpleNamespace) -> z3.BoolRef:
        """A conjunct or a safety property in a state."""
        return getattr(self, name)(s)

    def invariant(self, s: SimpleNamespace, without: str = "") -> dict[str, z3.BoolRef]:
        """Every conjunct by name, but for one."""
        return {name: self.formula(name, s) for name in self.conjuncts() if name != without}


class Condition(NamedTuple):
    """A verification condition: the premises entail ``goal``; init, step or implication."""

    name: str
    kind: str
    premises: Mapping[str, z3.BoolRef]
    goal: z3.BoolRef


class Premises(dict[str, z3.BoolRef]):
    """Premises by name. All conditions of one action share them."""

    @cached_property
    def numbers(self) -> frozenset[int]:
        return frozenset(premise.get_id() for premise in self.values())


def numbers(premises: Mapping[str, z3.BoolRef]) -> frozenset[int]:
    """Z3's numbers of the premises, as long as they are kept."""
    return premises.numbers if isinstance(premises, Premises) else Premises(premises).numbers


def conditions(system: System, without: str = "") -> Iterator[Condition]:
    """Every verification condition of a system: each action with each conjunct that it can change.

    ``without``: a conjunct to leave out, as premise and as goal. A conjunct that an action's
    updates leave as it is, term by term, is its own premise and gives no condition.
    """
    s = system.symbols()
    givens = {f"given {index}": formula for index, formula in enumerate(system.given(s), 1)}
    invariant = system.invariant(s, without)
    start = Premises(
        givens
        | {f"initially {index}": formula for index, formula in enumerate(system.initially(s), 1)}
    )
    for name, formula in invariant.items():
        yield Condition(f"init/{name}", "init", start, formula)
    for name in system.actions():
        values, step = system.step(name, s)
        set_to = [(getattr(s, variable), value) for variable, value in step.updates.items()]
        premises = Premises(
            givens
            | invariant
            | system.theorems(s, name, values)
            | {f"guard {index}": guard for index, guard in enumerate(step.guards, 1)}
        )
        with trusted():
            goals = {
                conjunct: after
                for conjunct, formula in invariant.items()
                if not (after := z3.substitute(formula, *set_to)).eq(formula)
            }
        for conjunct, after in goals.items():
            yield Condition(f"step/{name}/{conjunct}", "step", premises, after)
    for name in system.safety():
        yield Condition(
            f"safety/{name}",
            "implication",
            givens | invariant | system.theorems(s, "", {}),
            system.formula(name, s),
        )


def enabled(system: System, name: str) -> Mapping[str, z3.BoolRef]:
    """The premises of an action's steps: contradictory ones would make its conditions vacuous."""
    s = system.symbols()
    _, step = system.step(name, s)
    givens = {f"given {index}": formula for index, formula in enumerate(system.given(s), 1)}
    return (
        givens
        | system.invariant(s)
        | {f"guard {index}": guard for index, guard in enumerate(step.guards, 1)}
    )
