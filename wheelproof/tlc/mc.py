"""Model-checking modules: an `MC...` module and cfg, from the plain data of one config.

The constants' values are operators of the module (`MC_Lists == {"l1", "l2"}`) that the cfg puts in
for the constants (`Lists <- MC_Lists`), because a cfg file itself can hold neither functions nor
negative numbers. The modules of the spec are copied beside the pair, so that the folder needs no
search path.
"""

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wheelproof import files, reading
from wheelproof.errors import UsageError
from wheelproof.names import is_identifier
from wheelproof.tlc.values import Function, ModelValue, Value, format_tla, freeze

FIRST = "First_"
"""Prefix of an invariant that fails only in the first state that breaks it."""

_FAILED = 1000  # TLC's register in which such an invariant keeps that it has failed
_WIDTH = 100
# Outside of a comment: a string, a comment to the line's end, the beginning of another comment.
_OUTSIDE = re.compile(r'"(?:\\.|[^"\\\n])*"|\\\*[^\n]*|\(\*')
_NO_BREAK = re.compile(r"[^\n]")
_INSIDE = re.compile(r"\(\*|\*\)")  # comments nest
_REFERENCE = re.compile(r"\bEXTENDS\s+(\w+(?:\s*,\s*\w+)*)|\bINSTANCE\s+(\w+)")

_INNER = re.compile(r"-{4,}\s*MODULE\s+(\w+)")

STANDARD = frozenset(
    {
        "Bags",
        "FiniteSets",
        "Integers",
        "Naturals",
        "Peano",
        "ProtoReals",
        "Randomization",
        "RealTime",
        "Reals",
        "Sequences",
        "TLC",
    }
)
"""The modules in TLC's jar. A library of proofs has some of them, too."""

LIBRARY = Path(__file__).parent / "library"
"""The modules that a specification of any project may extend. One of its own folder goes first."""


@dataclass(frozen=True)
class McConfig:
    """The input of one run.

    name: of the generated module; begins with `MC`.
    spec: the `.tla` file that is extended; the modules that it uses are looked for in its folder.
    origin: where the data comes from, as a reader knows it (`spec/RingBuffer.toml, scenario
    two_writers`).
    constants: constant -> canonical value or plain data (`values.freeze`); a ModelValue stands for
    itself.
    texts: the texts of modules in the spec's folder that are other ones than the files', by file
    name.
    variables: further variables of the generated module.
    definitions: further operators of the generated module, name -> TLA+ expression.
    specification: the name of the behaviour formula, or an expression for it with Init and
        [][Next]_vars in sight (`Init /\\ [][Next]_vars /\\ Fairness({"a"})`): TLC does not find
        them within a formula that has parameters.
    invariants, properties: names; TLC 2.18 does not report which of several properties was
    violated.
    deadlock_check: whether a state without successors is a violation.
    library: the spec's folder, relative to a module that is generated without copies beside it.
    first_only: an invariant fails in the first state only that breaks it. With
        `process.run(go_on=True)` TLC then reports that one state and goes on to the end of the
        graph. There can be one invariant, since TLC evaluates no other in a state that breaks one.
    """

    name: str
    spec: Path
    origin: str
    constants: Mapping[str, Value] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    variables: tuple[str, ...] = ()
    definitions: Mapping[str, str] = field(default_factory=dict)
    specification: str = "Spec"
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    deadlock_check: bool = True
    library: str = ""
    first_only: bool = False


@dataclass(frozen=True)
class McFiles:
    """The generated pair, and the copies of the spec's modules beside it."""

    module: Path
    config: Path
    copies: tuple[Path, ...]


def generate(config: McConfig, folder: Path, bare: bool = False) -> McFiles:
    """Writes module, cfg and copies into the folder, which is made where it is absent.

    Equal configs give equal bytes, and a file that has its text already is not touched. ``bare``:
    the copies have no comments, which saves an eighth of a short run. The algorithm is a comment,
    so TLC does not report then that its translation is stale.
    """
    folder.mkdir(parents=True, exist_ok=True)
    modules = closure(config.spec)
    files = McFiles(
        folder / f"{config.name}.tla",
        folder / f"{config.name}.cfg",
        tuple(folder / module.name for module in modules),
    )
    _write(files.module, module_text(config))
    _write(files.config, config_text(config))
    for copy, module in zip(files.copies, modules, strict=True):
        text = config.texts.get(copy.name) or reading.text(module)
        _write(copy, without_comments(text) if bare else text)
    return files


def without_comments(text: str) -> str:
    """A module with spaces for its comments, so that the rest keeps its lines and columns."""
    out, depth, place = [], 0, 0
    while match := (_INSIDE if depth else _OUTSIDE).search(text, place):
        before, lexeme = text[place : match.start()], match[0]
        out.append(_NO_BREAK.sub(" ", before) if depth else before)
        if lexeme in ("(*", "*)"):
            depth += 1 if lexeme == "(*" else -1
            out.append("  ")
        elif not lexeme.startswith("\\*"):
            out.append(lexeme)
        place = match.end()
    return "\n".join(line.rstrip() for line in "".join([*out, text[place:]]).split("\n"))


def closure(spec: Path, libraries: Sequence[Path] = ()) -> tuple[Path, ...]:
    """The module, and those that it extends or instantiates.

    They are looked for in its folder, then in ``libraries``, then in LIBRARY. Modules that
    come with TLA+ are in none of them, or are skipped there.
    """
    if not spec.is_file():
        raise UsageError(f"There is no module {spec}.")
    return tuple(sorted(file for file in _closure(spec, libraries).values() if file.is_file()))


def absent(spec: Path, libraries: Sequence[Path] = ()) -> list[str]:
    """The modules that a specification needs and that no folder has."""
    return sorted(
        name
        for name, file in _closure(spec, libraries).items()
        if name not in STANDARD and not file.is_file()
    )


def _closure(spec: Path, libraries: Sequence[Path]) -> dict[str, Path]:
    """Module -> its file, which need not exist."""
    modules: dict[str, Path] = {}
    waiting = [(spec.stem, spec)]
    while waiting:
        name, module = waiting.pop()
        if name in modules:
            continue
        modules[name] = module
        if module.is_file():
            text = without_comments(reading.text(module))
            inner = set(_INNER.findall(text))
            for extends, instance in _REFERENCE.findall(text):
                names = {part.strip() for part in (extends or instance).split(",")} - inner
                waiting += [(part, module_beside(spec, part, libraries)) for part in names]
    return modules


def module_beside(spec: Path, name: str, libraries: Sequence[Path] = ()) -> Path:
    """The file of a module that a specification uses; it need not exist."""
    folders = (spec.parent, *(() if name in STANDARD else libraries), LIBRARY)
    files = [folder / f"{name}.tla" for folder in folders]
    return next((file for file in files if file.is_file()), files[-1])


def module_text(config: McConfig) -> str:
    """The generated module."""
    _check_names(config)
    title = f" MODULE {config.name} "
    definitions = [
        _definition(f"MC_{name}", freeze(value)) for name, value in _definitions(config).items()
    ]
    definitions += [f"VARIABLES {', '.join(config.variables)}"] if config.variables else []
    definitions += [f"{name} == {expression}" for name, expression in config.definitions.items()]
    if not is_identifier(config.specification):
        definitions.append(f"MCSpec == {config.specification}")
    if config.first_only:
        (name,) = config.invariants
        definitions += [
            f"ASSUME TLCSet({_FAILED}, FALSE)",
            f"{FIRST}{name} == TLCGet({_FAILED}) \\/ {name} \\/ (TLCSet({_FAILED}, TRUE) /\\ "
            "FALSE)",
        ]
    library = f"-DTLA-Library={config.library} " if config.library else ""
    return "\n".join(
        [
            title.center(max(79, len(title) + 8), "-"),
            *_notice(config),
            "\\* To run it by hand, in this folder:",
            f'\\*   java -cp "$TLA2TOOLS_JAR" {library}tlc2.TLC {config.name}',
            f"EXTENDS {config.spec.stem}, Integers, TLC",
            "",
            *definitions,
            "=" * 79,
            "",
        ]
    )


def config_text(config: McConfig) -> str:
    """The generated cfg."""
    _check_names(config)
    is_name = is_identifier(config.specification)
    lines = [
        *_notice(config),
        f"SPECIFICATION {config.specification if is_name else 'MCSpec'}",
        f"CHECK_DEADLOCK {format_tla(config.deadlock_check)}",
    ]
    constants = [f"  {name} <- MC_{name}" for name in _definitions(config)]
    constants += [
        f"  {name} = {value}"
        for name, value in config.constants.items()
        if isinstance(value, ModelValue)
    ]
    prefix = FIRST if config.first_only else ""
    for heading, entries in (
        ("CONSTANTS", constants),
        ("INVARIANTS", [f"  {prefix}{name}" for name in config.invariants]),
        ("PROPERTIES", [f"  {name}" for name in config.properties]),
    ):
        if entries:
            lines += [heading, *entries]
    return "\n".join([*lines, ""])


def _notice(config: McConfig) -> list[str]:
    """The origin of a generated file, as comments."""
    notice = f"Generated from {' '.join(config.origin.split())}; changes are lost."
    return [
        f"\\* {line}"
        for line in textwrap.wrap(
            notice, _WIDTH - 3, break_long_words=False, break_on_hyphens=False
        )
    ]


def _definitions(config: McConfig) -> dict[str, Value]:
    return {
        name: value for name, value in config.constants.items() if not isinstance(value, ModelValue)
    }


def _definition(name: str, value: Value) -> str:
    """`name == value`, a long function with one argument a line."""
    line = f"{name} == {format_tla(value)}"
    if len(line) <= _WIDTH or not isinstance(value, Function):
        return line
    pairs = [f"{format_tla(argument)} :> {format_tla(value[argument])}" for argument in value]
    return f"{name} ==\n  (  " + "\n  @@ ".join(pairs) + ")"


def _check_names(config: McConfig) -> None:
    """Refuse a name that is none: TLC could read it as a further statement."""
    if not config.name.startswith("MC"):
        raise UsageError(
            f"The name {config.name!r} of a model-checking module has to begin with MC."
        )
    names = (
        config.name,
        config.spec.stem,
        *(value.name for value in config.constants.values() if isinstance(value, ModelValue)),
        *config.constants,
        *config.variables,
        *config.definitions,
        *config.invariants,
        *config.properties,
    )
    for name in names:
        if not is_identifier(name):
            raise UsageError(f"{config.origin} has {name!r} where TLA+ needs a name.")


def _write(file: Path, text: str) -> None:
    """Replaces the file in one step, since another run may be reading a copy of the same module."""
    if not file.is_file() or file.read_bytes() != text.encode():
        files.replace(file, text.encode())
