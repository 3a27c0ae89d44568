"""The reference pages name what the code reads: names of a harness, fields, exit codes."""

import ast
import re
import signal
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from tests.docs.reading import ROOT
from wheelproof import cli, errors, verdict
from wheelproof.jvm.declaration import Binding, Change
from wheelproof.project.declaration import HEAD, TABLES
from wheelproof.project.mechanism import OfModel

DECLARATIONS = (ROOT / "docs" / "declarations.md").read_text(encoding="utf-8")
CLASSES = (ROOT / "docs" / "jvm.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")

TOOL = {
    str(file.relative_to(ROOT)): file.read_text(encoding="utf-8")
    for file in (ROOT / "wheelproof").rglob("*.py")
}


def section(page: str, heading: str) -> str:
    """The text below a heading, up to the next one of its level."""
    level = heading.partition(" ")[0]
    found = page.partition(f"\n{heading}\n")[2]
    assert found, f"there is no {heading}"
    return found.partition(f"\n{level} ")[0]


def named(text: str) -> set[str]:
    """The code words in the first column of a text's tables."""
    cells = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`(\w+)[^`]*`", cell)}


def of_harness(text: str, file: str = "") -> set[str]:
    """The names of a harness's module that a module of the tool reads."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        whose: ast.AST | None = None
        match node:
            case ast.Call(ast.Name("getattr" | "hasattr"), [whose, ast.Constant(str(name)), *_]):
                pass
            case ast.Attribute(whose, name):
                pass
            case ast.Assign([ast.Name("TABLE")], ast.Constant(str(name))):
                if "python" not in Path(file).parts:
                    continue
            case ast.Call(ast.Attribute(_, "implementation"), [ast.Constant(str(name))]):
                pass
            case _:
                continue
        if name.isupper() and (whose is None or "harness" in ast.unparse(whose)):
            found.add(name)
    return found


@cache
def read() -> set[str]:
    texts = {file: text for file, text in TOOL.items() if NAMES.search(text)}
    return set().union(*(of_harness(text, file) for file, text in texts.items()))


NAMES = re.compile(r"harness\S*\.[A-Z]|harness.*\"[A-Z]|^TABLE =|implementation\(\"", re.MULTILINE)
"""What a module has that reads a name of a harness."""


def test_the_table_of_a_harness_has_what_the_tool_reads_and_nothing_else():
    listed = named(section(DECLARATIONS, "## `harness/MECHANISM.py`"))
    assert listed == read() | {"Harness", "shared", "waits"}
    assert {"SUBJECT", "SPURIOUS", "STAND_INS", "COMPOSED", "BY_SCHEDULE"} <= read()


@pytest.mark.parametrize(
    "line",
    [
        'getattr(self.harness_module, "PLANTED", ())',
        'hasattr(loaded.harness, "PLANTED")',
        "harness.PLANTED",
        'TABLE = "PLANTED"',
        'context.implementation("PLANTED")',
    ],
)
def test_a_name_that_the_tool_begins_to_read_is_noticed(line):
    assert of_harness(line, "wheelproof/python/runtime/planted.py") == {"PLANTED"}


def test_each_table_and_each_field_of_a_declaration_is_on_its_page():
    text = section(DECLARATIONS, "## `spec/MODULE.toml`")
    rows = dict(re.findall(r"^\| `\[(\w+)[^`]*` \| (.*) \|$", text, re.MULTILINE))
    assert rows.keys() == set(TABLES)
    assert missing(HEAD, rows["mechanism"]) == []
    model = [field.name for field in fields(OfModel) if field.name != "name"]
    assert missing(model, rows["model"]) == []
    configs = section(text, "### Configs")
    assert missing(("columns", "prefix", "like", "fast", "nightly"), configs) == []
    assert missing(("pc",), rows["mechanism"].replace("`pc`", "")) == ["pc"]


def missing(names: tuple[str, ...] | list[str], text: str) -> list[str]:
    """The names that a text does not have as code."""
    return [name for name in names if not re.search(rf"`(\[\w+\.)?{name}\b", text)]


def test_each_field_of_a_binding_of_classes_is_on_its_page_and_no_other_is():
    text = section(CLASSES, "## The table of sites")
    of_binding = {field.name for field in fields(Binding)} - {"name", "file"}
    assert of_binding | {"like", "package"} == named(text) - {"scenarios"}
    of_change = [field.name for field in fields(Change) if field.name != "name"]
    assert missing(of_change, text) == []
    assert missing(["planted"], text) == ["planted"]


def codes(page: str) -> set[int]:
    return {int(code) for code in re.findall(r"^\| (\d+) \| ", page, re.MULTILINE)}


def test_the_exit_codes_are_those_of_the_code():
    raised = {kind.exit_code for kind in errors.WheelproofError.__subclasses__()}
    ended = {128 + signal.SIGINT, 128 + signal.SIGTERM}
    used = {0, 1} | ended | set(verdict._CODES.values()) | raised
    assert set(errors.EXIT_CODES) == used
    text = section(COMMANDS, "## Exit codes")
    assert codes(text) == used
    assert codes(text + "| 6 | planted |\n") != used
    shown = re.sub(r"^.*Exit codes", "", str(cli.app.info.epilog))
    assert {int(code) for code in re.findall(r"\b\d+\b", shown)} == used
