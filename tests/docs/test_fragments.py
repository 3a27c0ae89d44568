"""Each block of code of a page is run: by the test of its page, by the linter, or as a file."""

import ast
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.docs.reading import ROOT, Block, blocks, name, pages
from wheelproof import project, protocols
from wheelproof.errors import UsageError
from wheelproof.mutate import declared as equivalents
from wheelproof.project import lock_order
from wheelproof.project.mechanism import Mechanism
from wheelproof.python.style import lint
from wheelproof.trace.model.expressions import Expression

LEDGER = tomllib.loads((ROOT / "tests/docs/runs.toml").read_text(encoding="utf-8"))
LANGUAGES = {"python", "toml", "tla", "java", "diff"}
LABELLED = re.compile(r"#\s*(?:\w+ [A-Z]\d+,? ?)+$", re.MULTILINE)
CONSTANTS = set(re.findall(r"``([A-Z_]+)``", protocols.HarnessModule.__doc__ or ""))
"""The constants of a harness that the tool reads."""


def wrapped(text: str) -> str:
    """A fragment of a method as a module."""
    lines = textwrap.dedent(text).rstrip().split("\n")
    if lines[-1].split("#")[0].rstrip().endswith(":"):
        lines.append("    pass")
    if lines[0].startswith(("class ", "def ", "import ", "from ", '"""')):
        return "\n".join(lines) + "\n"
    body = textwrap.indent("\n".join(lines), "        ")
    return f"class Part:\n    def run(self):\n{body}\n"


def faults(block: Block) -> list[str]:
    """The faults of a fragment of Python."""
    try:
        tree = ast.parse(textwrap.dedent(block.text) if not LABELLED.search(block.text) else "")
        text = wrapped(block.text)
        ast.parse(text)
    except SyntaxError as error:
        return [f"is not Python: {error}"]
    if LABELLED.search(block.text):
        slots = re.findall(r"\.(\w+) = ", block.text)
        return [str(fault) for fault in lint.check({"impl/part.py": text}, slots)]
    names = [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.isupper()
    ]
    return [f"{each} is no constant of a harness" for each in names if each not in CONSTANTS]


def unrun(texts: Mapping[str, str], ledger: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Blocks of code that no run is named for, and faults of those that are read here."""
    for page, text in texts.items():
        if page in ledger["pages_of_code"]:
            continue
        for block in blocks(text):
            place = f"{page}:{block.line}"
            first = block.text.strip().split("\n")[0]
            if block.language not in LANGUAGES or block.title or first in ledger["code"]:
                continue
            if block.language == "python":
                yield from (f"{place}: {fault}" for fault in faults(block))
            elif block.language != "toml" or not stands(tomllib.loads(block.text)):
                yield f"{place}: no run is named for {first}"


@cache
def declared() -> tuple[dict[str, object], ...]:
    """The declarations of this project."""
    files = (*(ROOT / "spec").glob("*.toml"), *(ROOT / "harness").glob("*.toml"))
    return tuple(tomllib.loads(file.read_text(encoding="utf-8")) for file in files)


def stands(part: object, *wholes: object) -> bool:
    """Whether a file of the project has these tables, with these values."""
    return any(inside(part, whole) for whole in wholes or declared())


def inside(part: object, whole: object) -> bool:
    if not isinstance(part, dict):
        return part == whole
    return isinstance(whole, dict) and all(
        key in whole and inside(value, whole[key]) for key, value in part.items()
    )


def missing(ledger: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Runs that the ledger names and that are not there, and blocks that no page has."""
    for run in (*ledger["pages_of_code"].values(), *ledger["code"].values()):
        file, _, test = run.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""
        if f"\ndef {test}(" not in text:
            yield f"{file} has no {test}"
    there = {
        block.text.strip().split("\n")[0] for text in texts().values() for block in blocks(text)
    }
    yield from (f"no page has {first}" for first in ledger["code"] if first not in there)


def texts() -> dict[str, str]:
    return {name(page): page.read_text(encoding="utf-8") for page in pages()}


def fragment(page: str, first: str) -> str:
    """The block of a page that begins so."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (block,) = [b for b in blocks(text) if b.text.startswith(first)]
    return block.text


def test_each_block_of_code_has_a_run():
    assert list(unrun(texts(), LEDGER)) == []
    assert list(missing(LEDGER)) == []


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("```python\nself.a = self.b  # write A1\nself.c = 1  # write A1\n```", "A1"),
        ("```python\nself.count +=  # write A1\n```", "is not Python"),
        ('```python\nMEMORIES = ("a",)\n```', "MEMORIES is no constant of a harness"),
        ("```toml\n[constants]\nZ = 'Z99'\n```", "no run is named"),
        ("```tla\nA == 1\n```", "no run is named"),
    ],
)
def test_a_block_that_no_run_takes_is_noticed(block, message):
    (fault, *_) = unrun({"docs/new.md": block}, LEDGER)
    assert message in fault, fault


def test_a_run_that_is_gone_is_noticed():
    ledger = {"pages_of_code": {"a": "tests/docs/test_fragments.py::gone"}, "code": {"zz": "b::c"}}
    assert list(missing(ledger)) == [
        "tests/docs/test_fragments.py has no gone",
        "b has no c",
        "no page has zz",
    ]


# -- blocks of declarations, read by the readers of declarations

MODULE = '[mechanism]\nmodule = "Thing"\n'
RUN = '[scenarios.flush_cancel]\nthreads = { f = "flush" }\n'
CHECK = '[safety]\nfast = ["flush_cancel"]\n'
REST = {
    "[properties.invariant]": RUN + CHECK,
    "[labels]": RUN + CHECK,
    "[scenarios.flush_cancel]": CHECK,
    "[groups.refines_plainly]": RUN + '[properties.refinement]\nRefinesPlainly = "x"\n',
}
"""The rest of a declaration around each block."""


def read(folder: Path, text: str) -> Mapping[str, Mechanism]:
    (folder / "spec").mkdir(exist_ok=True)
    (folder / "spec/Thing.tla").write_text("---- MODULE Thing ----\n====\n")
    (folder / "spec/Thing.toml").write_text(text)
    return project.find(folder)


@pytest.mark.parametrize("first", REST)
def test_a_declaration_on_the_page_is_read(first, tmp_path):
    text = fragment("docs/declarations.md", first)
    assert list(read(tmp_path, MODULE + REST[first] + text)) == ["thing"]
    wrong = text.replace("threads = ", "thread = ")
    if wrong == text:
        wrong = re.sub(r"^(\w+) = ", r"\1_ = { unknown = 1 }\nother = ", text, count=1, flags=re.M)
    with pytest.raises(UsageError):
        read(tmp_path, MODULE + REST[first] + wrong)


def test_the_order_of_locks_on_the_page_is_read(tmp_path):
    text = fragment("docs/declarations.md", "[classes]")
    (tmp_path / "harness").mkdir()
    file = tmp_path / "harness/locks.toml"
    file.write_text(text)
    assert lock_order.read(tmp_path) is not None
    file.write_text(text.replace("[classes]", "[kinds]"))
    with pytest.raises(UsageError):
        lock_order.read(tmp_path)


def test_an_equivalent_change_on_the_page_is_read(tmp_path):
    text = fragment("docs/mutate.md", "[[equivalent]]")
    (tmp_path / "mutants").mkdir()
    file = tmp_path / "mutants/equivalents.toml"
    file.write_text(text)
    assert list(equivalents.read(tmp_path)) == ["0123456789ab"]
    file.write_text(text.replace("reason", "because"))
    with pytest.raises(UsageError):
        equivalents.read(tmp_path)


def test_the_expressions_of_an_event_are_read():
    text = fragment("docs/trace-replay.md", "C3 = ")
    columns = tomllib.loads(text)["C3"]
    shown = [Expression(columns["task"]), Expression(columns["pre"]["entry"])]
    assert shown[0].names == {"ct", "self"} and shown[1].names == {"timerTaskEntry", "ct", "self"}
    with pytest.raises(UsageError):
        Expression(columns["task"].replace("]", ""))
