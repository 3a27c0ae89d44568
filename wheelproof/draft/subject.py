"""A class of plain Python threads: its locks, fields, constants and methods, read and not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wheelproof import reading
from wheelproof.errors import UsageError
from wheelproof.mapping import RESERVED, fresh, guarded, word

LOCKS = {"Lock": "Lock", "RLock": "Monitor", "Condition": "Condition"}
"""A class of ``threading`` -> the class of ``wheelproof_runtime`` in its place."""

PAIRS = ("dict", "OrderedDict")
"""Classes whose objects become sequences of pairs."""

SEQUENCES = ("list", "deque", "tuple")
"""Classes whose objects become sequences."""


@dataclass(frozen=True)
class Guard:
    """A lock, a re-entrant lock or a condition, in an attribute."""

    attribute: str
    sort: str
    """The class of ``wheelproof_runtime``."""
    lock: str
    """The attribute of the lock that is occupied: another one's where a condition shares it."""
    owner: str = "owner"
    """The variable with the thread that holds it."""
    asleep: str = "asleep"
    """The variable with the threads that wait at the condition."""
    tickets: str = "tickets"
    """The variable with the notifications that no thread has occupied."""
    again: bool = False
    """Whether a thread that holds the lock may take it again."""


@dataclass(frozen=True)
class Shared:
    """An attribute that changes after the construction."""

    attribute: str
    variable: str
    """Its variable in the specification."""
    kind: str
    """``sequence``, ``pairs``, ``set``, ``number``, ``truth``, ``text`` or ``any``."""
    initial: str
    """The TLA+ value after the construction."""
    container: str
    """The class of its object, such as ``deque``; "" for a plain value."""

    @property
    def fresh(self) -> str:
        """The Python of a new, empty object of its class."""
        return {"list": "[]", "dict": "{}", "tuple": "()"}.get(
            self.container, f"{self.container}()"
        )


@dataclass
class Subject:
    """All that a draft needs of a class."""

    name: str
    file: Path
    docstring: str
    bases: list[str] = field(default_factory=list)
    """The classes that it inherits from: their methods are not read."""
    guards: dict[str, Guard] = field(default_factory=dict)
    """By attribute."""
    opaque: dict[str, str] = field(default_factory=dict)
    """Attribute with a value that no specification has -> its first value, as Python."""
    fields: dict[str, Shared] = field(default_factory=dict)
    """By attribute."""
    constants: dict[str, str] = field(default_factory=dict)
    """Attribute that never changes -> the constant of the specification."""
    values: dict[str, ast.expr] = field(default_factory=dict)
    """Attribute that never changes -> its value, where it is not an argument."""
    arguments: list[str] = field(default_factory=list)
    """The arguments of the construction that the scenario gives."""
    globals: dict[str, ast.expr] = field(default_factory=dict)
    """Name of the module -> its value, of those that are set once to a literal."""
    methods: dict[str, ast.FunctionDef] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    """Methods that are no operations of a thread: asynchronous ones, and those with a decorator."""
    defaults: dict[str, str] = field(default_factory=dict)
    """Argument of the construction -> its default in Python, which the draft takes as given."""

    @property
    def operations(self) -> list[str]:
        """The methods that a scenario may call."""
        return [name for name in self.methods if not name.startswith("_")]

    @property
    def locks(self) -> dict[str, Guard]:
        """The guards with a lock of their own, by attribute."""
        return {name: guard for name, guard in self.guards.items() if guard.lock == name}


def attribute_of(node: ast.expr) -> str:
    """The attribute of ``self`` that an expression is; "" for another expression."""
    if (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    ):
        return node.attr
    return ""


def read(file: Path, name: str) -> Subject:
    """Read a class. UsageError where there is none, or where it makes no lock."""
    tree = reading.tree(reading.text(file), file)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if name not in classes:
        raise UsageError(
            f"{file}: there is no class {name}.",
            f"Its classes: {', '.join(classes) or 'none'}.",
        )
    node = classes[name]
    methods = {
        item.name: item
        for item in node.body
        if isinstance(item, ast.FunctionDef) and not _has_decorator(item)
    }
    subject = Subject(
        name,
        file,
        ast.get_docstring(node) or "",
        bases=[
            ast.unparse(base)
            for base in node.bases
            if ast.unparse(base).partition("[")[0] not in ("object", "Generic", "Protocol", "ABC")
        ],
        globals=_literals(tree.body),
        left_out=[
            item.name
            for item in node.body
            if isinstance(item, ast.AsyncFunctionDef)
            or (isinstance(item, ast.FunctionDef) and _has_decorator(item))
        ],
        methods={
            key: method
            for key, method in methods.items()
            if not (key.startswith("__") and key.endswith("__"))
        },
    )
    subject.values |= _literals(node.body)
    if "__init__" not in methods:
        raise UsageError(
            f"{file}:{node.lineno}: {name} has no __init__, so its fields are not known.",
            "Write one that sets each field.",
        )
    _construction(subject, methods["__init__"], _threading_names(tree))
    if not subject.guards:
        raise UsageError(
            f"{file}:{node.lineno}: {name} makes no lock and no condition in __init__.",
            "`wheelproof explore FILE::TEST` checks any test of it, without a specification.",
        )
    return subject


def _has_decorator(method: ast.FunctionDef) -> bool:
    """Whether a method has a decorator other than ``property``."""
    return any(ast.unparse(item) != "property" for item in method.decorator_list)


def _literals(body: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    """The names of a module or of a class that are set to a literal."""
    return {
        target.id: statement.value
        for statement in body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _threading_names(tree: ast.Module) -> dict[str, str]:
    """Text of a callable -> the class of ``wheelproof_runtime``: as the module imports it."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                if item.name == "threading":
                    names |= {f"{item.asname or item.name}.{key}": LOCKS[key] for key in LOCKS}
        elif isinstance(node, ast.ImportFrom) and node.module == "threading":
            names |= {
                item.asname or item.name: LOCKS[item.name]
                for item in node.names
                if item.name in LOCKS
            }
    return names


def _stores(subject: Subject) -> set[str]:
    """The attributes that some method changes: assigned, or changed in place."""
    names = set()
    for method in subject.methods.values():
        for node in ast.walk(method):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
                names.add(attribute_of(node))
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                names.add(attribute_of(node.value))
    return names


def _construction(subject: Subject, init: ast.FunctionDef, threads: Mapping[str, str]) -> None:
    """Read the fields of ``__init__``: guards, shared fields, constants."""
    defaults = dict(
        zip(
            [argument.arg for argument in init.args.args[::-1]],
            init.args.defaults[::-1],
            strict=False,
        )
    )
    arguments = [argument.arg for argument in init.args.args[1:]]
    subject.defaults |= {name: ast.unparse(value) for name, value in defaults.items()}
    stores = _stores(subject)
    assignments = list(_assignments(init, subject))
    guards = [
        (attribute, value)
        for attribute, value in assignments
        if isinstance(value, ast.Call) and ast.unparse(value.func) in threads
    ]
    locks = sum(not (value.args and attribute_of(value.args[0])) for _, value in guards)
    conditions = [a for a, v in guards if threads[ast.unparse(v.func)] == "Condition"]
    names_taken = set(RESERVED)
    for attribute, value in guards:
        shared_lock = attribute_of(value.args[0]) if value.args else ""
        lock = shared_lock or attribute
        subject.guards[attribute] = Guard(
            attribute,
            threads[ast.unparse(value.func)],
            lock,
            guarded(lock, "owner", locks),
            guarded(attribute, "asleep", len(conditions)),
            guarded(attribute, "tickets", len(conditions)),
            again=threads[ast.unparse(value.func)] != "Lock" and not value.args,
        )
        guard = subject.guards[attribute]
        names_taken |= {guard.owner, guard.asleep, guard.tickets}
    for attribute, first_value in assignments:
        if not attribute or attribute in subject.guards:
            continue
        known_value = _value(first_value, defaults, arguments)
        if attribute not in stores and not isinstance(known_value, ast.Call | ast.List | ast.Dict):
            if isinstance(known_value, ast.Name) and known_value.id in arguments:
                constant = fresh(_capitalise(attribute), names_taken)
                names_taken.add(constant)
                subject.constants[attribute] = constant
                subject.arguments.append(known_value.id)
            else:
                subject.values[attribute] = known_value
            continue
        if (first := initial(known_value, subject)) is None:
            subject.opaque[attribute] = ast.unparse(known_value)
            continue
        kind, text, container = first
        variable = fresh(word(attribute), names_taken)
        names_taken.add(variable)
        subject.fields[attribute] = Shared(attribute, variable, kind, text, container)


def _assignments(init: ast.FunctionDef, subject: Subject) -> Iterator[tuple[str, ast.expr]]:
    """(attribute, value) of each assignment to a field, in order, also of methods that it calls."""
    for statement in init.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            name = attribute_of(statement.value.func)
            if name in subject.methods:
                yield from _assignments(subject.methods[name], subject)
                subject.methods.pop(name)
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if attribute := attribute_of(target):
                    yield attribute, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield attribute_of(statement.target), statement.value


def _value(value: ast.expr, defaults: Mapping[str, ast.expr], arguments: list[str]) -> ast.expr:
    """The value of a field: a default in the place of an argument that has one."""
    if isinstance(value, ast.Name) and value.id in arguments and value.id in defaults:
        return defaults[value.id]
    return value


def initial(value: ast.expr, subject: Subject) -> tuple[str, str, str] | None:
    """The kind, the TLA+ value and the container of a field's first value; None for no such."""
    if isinstance(value, ast.Name) and value.id in subject.globals:
        value = subject.globals[value.id]
    if isinstance(value, ast.Name):
        constant = _capitalise(value.id)
        subject.constants.setdefault(value.id, constant)
        subject.arguments.append(value.id)
        return "any", constant, ""
    if isinstance(value, ast.Constant):
        match value.value:
            case bool():
                return "truth", str(value.value).upper(), ""
            case int():
                return "number", str(value.value), ""
            case float() if value.value.is_integer():
                return "number", str(int(value.value)), ""
            case str():
                return "text", f'"{value.value}"', ""
            case None:
                return "any", "NULL", ""
    empty = isinstance(value, ast.Call) and not value.args
    class_name = ast.unparse(value.func).rpartition(".")[2] if isinstance(value, ast.Call) else ""
    if (empty and class_name in SEQUENCES) or (isinstance(value, ast.List) and not value.elts):
        return "sequence", "<< >>", class_name or "list"
    if (empty and class_name in PAIRS) or (isinstance(value, ast.Dict) and not value.keys):
        return "pairs", "<< >>", "dict"
    if empty and class_name == "set":
        return "set", "{}", "set"
    return None


def _capitalise(attribute: str) -> str:
    return "".join(part.capitalize() for part in word(attribute).split("_"))
