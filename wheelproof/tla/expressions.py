"""Python code for expressions.

The code has one meaning only: TLA+'s as TLC evaluates it. An expression without a value raises
Undefined where TLC ends with an error. An expression of constants is computed once per
scenario: it becomes a *kept* value, a global of the code.
"""

from __future__ import annotations

from collections.abc import Callable

from wheelproof.tla import functions, sets
from wheelproof.tla.names import SHOWN, free
from wheelproof.tla.scope import Scope
from wheelproof.tla.standard import standard, standard_operator
from wheelproof.tla.syntax import (
    At,
    Builtin,
    Call,
    Constant,
    Definition,
    Expression,
    Formal,
    Let,
    Level,
    Number,
    Operator,
    Outside,
    OutsideSubset,
    Parameter,
    Place,
    Text,
    Variable,
    applied,
    variables_of,
)

INFIX = {
    "=": "==",
    "/=": "!=",
    "\\union": "|",
    "\\intersect": "&",
    "\\": "-",
    "\\equiv": "==",
}


class Expressions:
    """Code for expressions in a scope.

    ``define`` makes a definition's function, and ``keep`` makes a global of constant code; both
    return the name. ``fold`` does so for a constant expression, or for its domain. It returns None
    where the value is computed only where it is needed.
    """

    def __init__(
        self,
        scope: Scope,
        *,
        define: Callable[[Definition], str],
        keep: Callable[[str], str],
        fold: Callable[[Expressions, Expression, str], str | None],
        fresh: Callable[[str], str],
        name: Callable[[Formal], str],
    ) -> None:
        self.scope, self.define, self.keep = scope, define, keep
        self.fold, self.fresh, self.name = fold, fresh, name
        self.place = Place("", 0)
        self.enabled: Callable[[Expressions, Expression], str] = _not_enabled
        """The code of ENABLED."""
        self.late: frozenset[Formal] = frozenset()
        """The parameters whose values are computed where they are needed."""
        self.open: set[int] = set()
        """The identities of definitions whose bodies stand where they are called."""
        self._at: list[str] = []
        self._local: dict[int, str] = {}
        self._applied: frozenset[int] = frozenset()
        self._constant: dict[int, bool] = {}

    def is_constant(self, node: Expression) -> bool:
        """Whether the constants decide a value: no variable and no outer name is in it."""
        constant = self._constant.get(id(node))
        if constant is None:
            constant = node.level == Level.CONSTANT and not free(node, self._local)
            self._constant[id(node)] = constant
        return constant

    # -- expressions

    def expression(self, node: Expression) -> str:
        """The code of an expression; OutsideSubset where there is none."""
        if isinstance(node, Number | Text):
            return _literal(node.value)
        if (
            isinstance(node, Builtin | Call | Let)
            and self.is_constant(node)
            and (name := self.fold(self, node, "")) is not None
        ):
            return name
        return self.plain(node)

    def plain(self, node: Expression) -> str:
        """The code of an expression whose value is computed where it stands."""
        self.place = node.place
        match node:
            case Number() | Text():
                return _literal(node.value)
            case Constant():
                if not f"C_{node.name}".isidentifier():
                    raise OutsideSubset(f"a constant {node.name}", node.place)
                return f"C_{node.name}"
            case Variable():
                return self.scope.variable(node.name, node.place)
            case Parameter():
                name = self.name(node.formal)
                if node.arguments or node.formal in self.late:
                    return f"{name}({self.list_of(node.arguments)})"
                return name
            case At():
                return self._at[-1]
            case Let():
                return self.let(node)
            case Operator():
                return self.operator(node)
            case Call():
                return self.call(node)
            case Builtin():
                return self.builtin(node)
            case Outside():
                raise OutsideSubset(node.description, node.place)

    def list_of(self, nodes: tuple[Expression, ...]) -> str:
        return ", ".join(map(self.expression, nodes))

    def tuple_of(self, nodes: tuple[Expression, ...]) -> str:
        return "(" + "".join(f"{self.expression(item)}, " for item in nodes) + ")"

    def local(self, definition: Definition) -> str:
        """The Python name of a LET's definition; it is in scope from now on."""
        return self._local.setdefault(id(definition), self.fresh("d"))

    def bind(self, definition: Definition, name: str) -> None:
        """Give a LET's definition, which is in scope, this Python name."""
        self._local[id(definition)] = name

    def let(self, node: Let, body: Callable[[Expression], str] | None = None) -> str:
        """The code of a LET. ``body`` makes the code of its expression."""
        names = [self.local(definition) for definition in node.definitions]
        self._applied |= applied(node)
        functions = [
            "None" if self.is_inlined(definition) else self.lambda_of(definition)
            for definition in node.definitions
        ]
        code = (body or self.expression)(node.body)
        for name, value in reversed(list(zip(names, functions, strict=True))):
            code = f"(lambda {name}: {code})({value})"
        return code

    def lambda_of(self, definition: Definition) -> str:
        """A definition of a LET as a function, or as its value once that is needed."""
        if definition.recursive:
            name = self.local(definition)
            return (
                f"tied(lambda {name}: lambda {self.formals(definition)}: {self.body(definition)})"
            )
        if not definition.formals:
            return f"Once(lambda: {self.body(definition)})"
        return f"(lambda {self.formals(definition)}: {self.body(definition)})"

    def body(self, definition: Definition) -> str:
        """The value of a LET's definition: of a function only the results that are needed."""
        match definition.body:
            case Builtin("$RecursiveFcnSpec") if id(definition) in self._applied:
                return functions.unfolded(self, definition.body)
        return self.expression(definition.body)

    def formals(self, definition: Definition) -> str:
        return ", ".join(map(self.name, definition.formals))

    def operator(self, node: Operator) -> str:
        definition = node.definition
        if definition.name == "LAMBDA":
            return f"(lambda {self.formals(definition)}: {self.expression(definition.body)})"
        if id(definition) in self._local:
            return self._local[id(definition)]
        if definition.standard:
            return standard_operator(self, definition, node.place)
        if (state := self.state_of(definition)) is None:
            return f"(lambda {self.formals(definition)}: {self.expression(definition.body)})"
        return f"(lambda *_a: {self.define(definition)}({state}, *_a))"

    def is_inlined(self, definition: Definition) -> bool:
        """Whether the definition's body stands where it is called: it reads next values."""
        if id(definition) in self.open:
            return True
        return definition.level == Level.ACTION and not definition.recursive

    def state_of(self, definition: Definition) -> str | None:
        """The first arguments of a definition's function; None where it is inlined."""
        if definition.level == Level.CONSTANT:
            return "None, None"
        if self.is_inlined(definition) and self.scope.in_step:
            return None
        if definition.level >= Level.ACTION:
            raise OutsideSubset(f"{definition.name}, which is no formula of one state,", self.place)
        state = self.scope.state(variables_of(definition.body))
        if state is None and (definition.recursive or not self.scope.in_step):
            raise OutsideSubset(f"{definition.name} of a state in Init", self.place)
        return state

    def call(self, node: Call) -> str:
        definition = node.definition
        if definition.standard:
            return standard(self, node)
        if id(definition) in self._local and not self.is_inlined(definition):
            return f"{self._local[id(definition)]}({self.list_of(node.arguments)})"
        if (state := self.state_of(definition)) is None:
            body = self.expression(definition.body)
            if not definition.formals:
                return f"({body})"
            return f"(lambda {self.formals(definition)}: {body})({self.list_of(node.arguments)})"
        arguments = "".join(f", {self.expression(argument)}" for argument in node.arguments)
        return f"{self.define(definition)}({state}{arguments})"

    def builtin(self, node: Builtin) -> str:
        name, arguments = node.name, node.arguments
        if name in INFIX:
            return (
                f"({self.expression(arguments[0])} {INFIX[name]} {self.expression(arguments[1])})"
            )
        build = _BUILTINS.get(name)
        if build is None:
            raise OutsideSubset(SHOWN.get(name, name), node.place)
        return build(self, node)

    # -- operators of the language

    def conjunction(self, node: Builtin) -> str:
        return "(" + (" and ".join(map(self.expression, node.arguments)) or "True") + ")"

    def disjunction(self, node: Builtin) -> str:
        return "(" + (" or ".join(map(self.expression, node.arguments)) or "False") + ")"

    def implication(self, node: Builtin) -> str:
        return f"(not {self.expression(node.arguments[0])} or {self.expression(node.arguments[1])})"

    def if_then_else(self, node: Builtin) -> str:
        test, then, otherwise = map(self.expression, node.arguments)
        return f"({then} if {test} else {otherwise})"

    def case(self, node: Builtin) -> str:
        code = "no_case()"
        for pair in reversed(node.arguments):
            assert isinstance(pair, Builtin)
            test, then = pair.arguments
            is_default = isinstance(test, Text) and test.value == "$Other"
            code = (
                self.expression(then)
                if is_default
                else f"({self.expression(then)} if {self.expression(test)} else {code})"
            )
        return code

    def membership(self, node: Builtin) -> str:
        inside = sets.member(self, self.expression(node.arguments[0]), node.arguments[1])
        return inside if node.name == "\\in" else f"(not {inside})"

    def subset(self, node: Builtin) -> str:
        inner, outer = node.arguments
        if sets.is_large(outer):
            name = self.fresh("m")
            return f"all([{sets.member(self, name, outer)} for {name} in {self.expression(inner)}])"
        return f"({self.expression(inner)} <= {self.expression(outer)})"

    def apply(self, node: Builtin) -> str:
        function, *indices = node.arguments
        if len(indices) == 1:
            code = self.expression(indices[0])
            match function:
                case Variable(name):
                    variable = self.scope.of_thread(name, indices[0], code)
                    if variable is not None:
                        return variable
                case Builtin("'", (Variable(name),)):
                    variable = self.scope.primed_of_thread(name, indices[0], node.place)
                    if variable is not None:
                        return variable
            return f"{self.expression(function)}[{code}]"
        return f"{self.expression(function)}[sequence({self.tuple_of(tuple(indices))})]"

    def field(self, node: Builtin) -> str:
        name = node.arguments[1]
        assert isinstance(name, Text)
        return f"{self.expression(node.arguments[0])}[{name.value!r}]"

    def prime(self, node: Builtin) -> str:
        match node.arguments[0]:
            case Variable(name, place):
                return self.scope.next_value(name, place)
        before, self.scope = self.scope, self.scope.primed(node.place)
        try:
            return self.expression(node.arguments[0])
        finally:
            self.scope = before

    def with_at(self, old: str, value: Expression) -> str:
        """The code of a value in an EXCEPT. ``old``: the code of ``@``."""
        self._at.append(old)
        try:
            return self.expression(value)
        finally:
            self._at.pop()

    def same(self, node: Expression) -> str:
        """``node' = node``."""
        after = self.prime(Builtin("'", (node,), (), node.place, Level.ACTION))
        return f"({after} == {self.expression(node)})"

    def set_of_all(self, node: Builtin) -> str:
        return f"frozenset([{self.expression(node.arguments[0])} {sets.loops(self, node.bounds)}])"

    def set_that(self, node: Builtin) -> str:
        (bound,) = node.bounds
        test, loops = self.expression(node.arguments[0]), sets.loops(self, node.bounds)
        if bound.pattern:
            item = f"sequence(({', '.join(map(self.name, bound.formals))}))"
        else:
            item = self.name(bound.formals[0])
        return f"frozenset([{item} {loops} if {test}])"

    def quantifier(self, node: Builtin) -> str:
        word = "all" if node.name == "$BoundedForall" else "any"
        return f"{word}({self.expression(node.arguments[0])} {sets.loops(self, node.bounds)})"

    def choice(self, node: Builtin) -> str:
        (bound,) = node.bounds
        assert bound.domain is not None
        names = ", ".join(map(self.name, bound.formals))
        test = f"lambda {names}: {self.expression(node.arguments[0])}"
        if bound.pattern:
            whole = self.fresh("t")
            test = f"lambda {whole}: ({test})(*items({whole}))"
        return f"choose({sets.elements(self, bound.domain)}, {test})"


def _not_enabled(code: Expressions, action: Expression) -> str:
    raise OutsideSubset("ENABLED", action.place)


def _literal(value: int | str) -> str:
    return f"({value!r})" if isinstance(value, int) else repr(value)


_BUILTINS: dict[str, Callable[[Expressions, Builtin], str]] = {
    "TRUE": lambda code, node: "True",
    "FALSE": lambda code, node: "False",
    "BOOLEAN": lambda code, node: code.keep("frozenset((True, False))"),
    "$ConjList": Expressions.conjunction,
    "\\land": Expressions.conjunction,
    "$DisjList": Expressions.disjunction,
    "\\lor": Expressions.disjunction,
    "\\lnot": lambda code, node: f"(not {code.expression(node.arguments[0])})",
    "=>": Expressions.implication,
    "\\in": Expressions.membership,
    "\\notin": Expressions.membership,
    "\\subseteq": Expressions.subset,
    "$IfThenElse": Expressions.if_then_else,
    "$Case": Expressions.case,
    "$FcnApply": Expressions.apply,
    "$RcdSelect": Expressions.field,
    "'": Expressions.prime,
    "$Nop": lambda code, node: code.expression(node.arguments[0]),
    "ENABLED": lambda code, node: code.enabled(code, node.arguments[0]),
    "UNCHANGED": lambda code, node: code.same(node.arguments[0]),
    "$SquareAct": lambda code, node: (
        f"({code.expression(node.arguments[0])} or {code.same(node.arguments[1])})"
    ),
    "DOMAIN": lambda code, node: f"{code.expression(node.arguments[0])}.domain.members",
    "$Tuple": lambda code, node: f"sequence({code.tuple_of(node.arguments)})",
    "$SetEnumerate": lambda code, node: f"frozenset({code.tuple_of(node.arguments)})",
    "$RcdConstructor": functions.record,
    "$FcnConstructor": functions.function,
    "$RecursiveFcnSpec": functions.recursive,
    "$NonRecursiveFcnSpec": functions.recursive,
    "$Except": functions.changed,
    "$SetOfAll": Expressions.set_of_all,
    "$SubsetOf": Expressions.set_that,
    "$BoundedForall": Expressions.quantifier,
    "$BoundedExists": Expressions.quantifier,
    "$BoundedChoose": Expressions.choice,
    "$CartesianProd": sets.product,
    "SUBSET": lambda code, node: f"frozenset({sets.elements(code, node)})",
    "$SetOfFcns": lambda code, node: f"frozenset({sets.elements(code, node)})",
    "$SetOfRcds": lambda code, node: f"frozenset({sets.elements(code, node)})",
    "UNION": lambda code, node: f"frozenset().union(*{code.expression(node.arguments[0])})",
}
