"""Every command that a page shows is one that the tool, make or pytest accepts."""

import re
from collections.abc import Iterable

import pytest
import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from tests.docs.reading import ROOT, commands, inline_commands, name, pages
from wheelproof import cli, project
from wheelproof.verdict import LAYERS

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z][a-z0-9-]*):", MAKEFILE, re.MULTILINE))
SHELL = {"cd", "cp", "export", "git", "mkdir", "pip", "spark-submit"}
"""Commands of the shell, which are not looked into."""

EXAMPLES = (
    "examples/one_shot",
    "examples/latch",
    "examples/bounded_buffer",
    "examples/door",
    "examples/peterson",
    "examples/pool",
)
PROJECTS = [project.find(ROOT / each) for each in (".", *EXAMPLES)]
MECHANISMS = {name: mechanism for found in PROJECTS for name, mechanism in found.items()}
APPLICATION = typer.main.get_command(cli.app)
PLACEHOLDER = re.compile(r"[A-Z][A-Z_.]*|\.\.\.|\[.*")


class Refused(Exception):
    """A page shows this command, and it would not run."""


def parse(words: list[str], whole: bool) -> tuple[str, dict[str, object]]:
    """The command's name and its parameters, as the command line reads them.

    ``whole``: False for a command that a sentence names, perhaps without its arguments.
    """
    command, context, rest, names = APPLICATION, None, words, []
    if words[-1:] == ["--help"]:
        return "", {}
    try:
        while isinstance(command, TyperGroup):
            if not rest and not whole:
                return "", {}
            context = command.make_context(names[-1] if names else "wheelproof", rest, context)
            found, command, rest = command.resolve_command(context, rest)
            names.append(found or "")
        return " ".join(names), dict(command.make_context(names[-1], rest, context).params)
    except typer.Exit:  # an option that prints and ends, as --version does
        return "", {}
    except TyperException as error:
        message = getattr(error, "message", "") or str(error)
        if not whole and message.startswith("Missing"):
            return "", {}
        raise Refused(message) from error


def known(kind: str, names: Iterable[str], there: Iterable[str]) -> None:
    there = set(there)
    for each in names:
        if not PLACEHOLDER.fullmatch(each) and each not in there:
            raise Refused(f"there is no {kind} {each}")


def decisions() -> set[str]:
    out: set[str] = set()
    for of, mechanism in MECHANISMS.items():
        for each in (*mechanism.decisions, *mechanism.mutants):
            out |= {each, f"{of}/{each}"}
    return out


def strings(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, (list, tuple)) else []


def check_wheelproof(words: list[str], whole: bool = True) -> None:
    """The command line accepts the words, and what they name is there."""
    command, given = parse(words, whole)
    known("mechanism", strings(given.get("mechanisms")), MECHANISMS)
    known(
        "layer", [part for each in strings(given.get("layer")) for part in each.split(",")], LAYERS
    )
    if command == "mutant":
        known("decision", [str(given["name"])], decisions())
    if command == "trace record":
        name = str(given["mechanism"])
        known("mechanism", [name], MECHANISMS)
        if name in MECHANISMS:
            mechanism = MECHANISMS[name]
            names = [str(given[field]) for field in ("scenario", "mutant") if given.get(field)]
            known("scenario or decision", names, {*mechanism.scenarios, *mechanism.decisions})
    for each in words:
        if found := re.fullmatch(r"build/counterexamples/(\w+)\.(\w+)\.(\w+)\.json", each):
            name, layer, row = found.groups()
            known("mechanism", [name], MECHANISMS)
            known("layer", [layer], LAYERS)
            mechanism = MECHANISMS[name]
            known("check", [row], {*mechanism.mutants, *mechanism.configs, *mechanism.composed})


def check_python(words: list[str]) -> None:
    """The module or file that Python is given is there, and so are the files of a pytest run."""
    if words[:1] == ["-m"]:
        module, rest = words[1], words[2:]
        if module == "wheelproof":
            check_wheelproof(rest)
            return
        here = ROOT / module.replace(".", "/")
        if module not in ("pytest", "mkdocs") and not (
            here.is_dir() or here.with_suffix(".py").is_file()
        ):
            raise Refused(f"there is no module {module}")
    else:
        rest = words
    for each in rest:
        file = each.partition("::")[0]
        # what stands below build/ was made by a command before it; by night they run in order
        absent = file.isupper() or "FOLDER" in file or file.startswith("build/")
        if "/" in file and not absent and not (ROOT / file).exists():
            raise Refused(f"there is no file {file}")


def check(words: list[str], whole: bool = True) -> None:
    """Raises Refused for a command that would not run in a checkout."""
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    first = words[0].removeprefix(".venv/bin/")
    if first == "make":
        targets = [each for each in words[1:] if "=" not in each]
        known("target", targets, TARGETS)
        arguments = [each.removeprefix("ARGS=") for each in words if each.startswith("ARGS=")]
        if targets == ["prove"] and arguments:
            check_wheelproof(["prove", *arguments[0].split()])
    elif first == "wheelproof":
        check_wheelproof(words[1:], whole)
    elif first in ("python", "python3"):
        check_python(words[1:])
    elif first == "pytest":
        check_python(["-m", *words])
    elif "/" in first:
        if not (ROOT / first).is_file():
            raise Refused(f"there is no file {first}")
    elif first not in SHELL:
        raise Refused(f"{first} is no command that a page may show")


def faults(text: str) -> list[str]:
    out = []
    found = [(words, True) for words in commands(text)]
    found += [(words, False) for words in inline_commands(text)]
    for words, whole in found:
        try:
            check(words, whole)
        except Refused as error:
            out.append(f"{' '.join(words)}: {error}")
    return out


@pytest.mark.parametrize("page", pages(), ids=name)
def test_each_command_is_accepted(page):
    assert faults(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        ("wheelproof verify --pace fast", "No such option"),
        ("wheelproof verfy", "No such command"),
        ("wheelproof --versions", "No such option"),
        ("wheelproof verify timer_task_lost", "there is no mechanism timer_task_lost"),
        ("wheelproof verify --layer stroll", "there is no layer stroll"),
        ("wheelproof mutant timer_task_list/M0", "there is no decision timer_task_list/M0"),
        ("wheelproof trace record timer_task_list gone", "there is no scenario or decision gone"),
        ("wheelproof show build/counterexamples/timer_task_list.mutant.M0.json", "no check M0"),
        ("wheelproof show", "Missing parameter: trace"),
        ("make verfy", "there is no target verfy"),
        (".venv/bin/python -m pytest tests/test_gone.py", "there is no file tests/test_gone.py"),
        (".venv/bin/python tools/gone.py", "there is no file tools/gone.py"),
        ("tools/gone data", "there is no file tools/gone"),
        ("curl something", "no command that a page may show"),
    ],
)
def test_a_command_that_would_not_run_is_refused(planted, fault):
    (found,) = faults(f"```sh\n{planted}\n```\n")
    assert fault in found
    if planted.startswith("wheelproof ") and "Missing" not in fault:
        assert faults(f"Run `{planted}` now.\n") == [found]


def test_commands_of_a_console_are_those_after_the_prompt():
    assert list(commands("```console\n$ make verfy\nmake nothing\n```\n")) == [["make", "verfy"]]


def test_the_reference_names_every_command_and_target():
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"\w+", " ".join(re.findall(r"^## (.*)$", text, re.MULTILINE))))
    assert isinstance(APPLICATION, TyperGroup)
    assert set(APPLICATION.commands) <= headings
    trace = APPLICATION.commands["trace"]
    assert isinstance(trace, TyperGroup)
    for each in trace.commands:
        assert f"wheelproof trace {each}" in text
    helped = set(re.findall(r"@echo 'make ([a-z0-9-]+)", MAKEFILE))
    for target in helped - {"clean", "bench-traces"}:
        assert f"`make {target}`" in text
