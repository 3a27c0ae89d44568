"""The sources that write files, each with what it writes, and the commands that they print.

A new writer has to be listed: the texts of others in its files are literals of their language, as
`test_generated_files.py` checks.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]

JSON = "a document of JSON"
PYTHON = "Python, of names"
TLA = "TLA+ and its cfg, of names and of literals"
SAME = "a text that was read, or a part of one"
CODE = "classes or jars as a compiler or a repository gave them"
WIRE = "words to a process that the tool has started"
PAGES = "pages and tables of this project, from its own sources"
SETTINGS = "settings of a program, of names and paths that the tool has made"
MESSAGE = "a message on a terminal"

WRITERS = {
    "wheelproof/artifacts.py": CODE,
    "wheelproof/campaign/blocks.py": "Parquet",
    "wheelproof/campaign/manifest.py": JSON,
    "wheelproof/campaign/shipping.py": SAME,
    "wheelproof/campaign/summary.py": "JSON; a test of pytest, of literals and comments",
    "wheelproof/campaign/work.py": WIRE,
    "wheelproof/checks/cached.py": SAME,
    "wheelproof/checks/comparisons.py": JSON,
    "wheelproof/cli.py": "tables in Markdown; exports",
    "wheelproof/commands/campaigning.py": JSON,
    "wheelproof/commands/drafting.py": "a project: TLA+, TOML, Markdown, Python, of a syntax tree",
    "wheelproof/commands/editor.py": TLA,
    "wheelproof/commands/exploring.py": MESSAGE,
    "wheelproof/commands/exploring_java.py": MESSAGE,
    "wheelproof/commands/locks.py": "the graph of locks as text, Graphviz and SVG",
    "wheelproof/commands/planning.py": JSON,
    "wheelproof/commands/specification.py": JSON,
    "wheelproof/commands/verification.py": JSON,
    "wheelproof/commands/starting.py": "the same, by drafting",
    "wheelproof/console.py": SAME,
    "wheelproof/counterexample/document.py": JSON,
    "wheelproof/counterexample/explored.py": JSON,
    "wheelproof/counterexample/stepping.py": JSON,
    "wheelproof/documents.py": JSON,
    "wheelproof/files.py": SAME,
    "wheelproof/java.py": CODE,
    "wheelproof/jvm/driven.py": WIRE,
    "wheelproof/jvm/explore/saved.py": "a test of JUnit, of literals and comments",
    "wheelproof/jvm/patch.py": SAME,
    "wheelproof/jvm/process.py": WIRE,
    "wheelproof/kept.py": SAME,
    "wheelproof/mutate/command.py": JSON,
    "wheelproof/mutate/hang.py": JSON,
    "wheelproof/mutate/run.py": SAME,
    "wheelproof/mutate/tlc_runs.py": SAME,
    "wheelproof/mutate/workers.py": JSON,
    "wheelproof/plain/progress.py": MESSAGE,
    "wheelproof/plain/saved.py": "a test of pytest, of literals and comments; JSON",
    "wheelproof/plain/state.py": "no file: the content of objects",
    "wheelproof/plain/under_pytest.py": MESSAGE,
    "wheelproof/pipeline/cluster.py": SAME,
    "wheelproof/pipeline/command.py": JSON,
    "wheelproof/pipeline/watch/metrics.py": "answers of a server: JSON, a library's text, a page",
    "wheelproof/pipeline/watch/spool.py": SAME,
    "wheelproof/pipeline/watch/stream.py": JSON,
    "wheelproof/pipeline/java.py": "a script of the shell, with a quoted path",
    "wheelproof/project/counts.py": JSON,
    "wheelproof/pytest_plugin.py": SAME,
    "wheelproof/project/planned.py": JSON,
    "wheelproof/report/files.py": "SARIF, JUnit XML, Markdown, HTML",
    "wheelproof/report/junit.py": "JUnit XML",
    "wheelproof/starter/__init__.py": "a project: TLA+, TOML, Markdown, and Python of one name",
    "wheelproof/tla/export.py": SAME,
    "wheelproof/commands/specified.py": JSON,
    "wheelproof/tla/logs/confirmed.py": TLA,
    "wheelproof/tla/plain/comparison.py": SAME,
    "wheelproof/tla/sany.py": "XML as SANY gave it",
    "wheelproof/tlc/archive.py": "TLA+ that is always the same",
    "wheelproof/tlc/libraries.py": SAME,
    "wheelproof/tlc/mc.py": TLA,
    "wheelproof/tlc/process.py": SAME,
    "wheelproof/tlc/server.py": WIRE,
    "wheelproof/tlc/translation.py": "TLA+ as the translator gave it",
    "wheelproof/trace/commands/verdicts.py": JSON,
    "wheelproof/trace/format/jsonl.py": JSON,
    "wheelproof/trace/format/parquet.py": "Parquet",
    "wheelproof/trace/model/oracle.py": TLA,
    "wheelproof/trace/steps/format.py": JSON,
    "wheelproof/verdict.py": JSON,
    "proofs/crosshair/elections_table.py": SAME,
    "wheelproof/prove/evidence.py": "SMT-LIB as the solver gave it, under a comment with names",
    "real/chaos/candidate.py": JSON,
    "real/chaos/processes.py": SAME,
    "real/chaos/recording.py": JSON,
    "real/chaos/sessions.py": JSON,
    "real/chaos/variants.py": SAME,
    "real/live/__main__.py": "the output of a program; two reports that the watch wrote",
    "real/record/agent.py": CODE,
    "real/record/broker.py": SETTINGS,
    "real/zookeeper/ensemble.py": SETTINGS,
    "real/zookeeper/server.py": SETTINGS,
    "tools/fuzz.py": JSON,
    "tools/instances.py": PAGES,
    "tools/names.py": PAGES,
    "tools/night.py": JSON,
    "tools/pages.py": PAGES,
    "tools/theorems.py": PAGES,
    "tools/traces.py": PAGES,
}
"""A source of the tool that writes files, or to standard output, and what it writes."""

TEMPLATES = {
    "wheelproof/report/page/explorer.html.j2": "HTML, escaped",
    "wheelproof/report/page/orders.html.j2": "HTML, escaped",
    "wheelproof/report/page/page.html.j2": "HTML, escaped",
    "wheelproof/report/page/pictures.html.j2": "HTML, escaped",
    "wheelproof/report/review.md.j2": "Markdown, escaped",
    "wheelproof/starter/KeepsLock.md.j2": "of no text",
    "wheelproof/starter/Unlocked.md.j2": "of no text",
    "wheelproof/starter/harness.py.j2": PYTHON,
    "wheelproof/starter/impl.py.j2": PYTHON,
    "wheelproof/starter/spec.tla.j2": TLA,
    "wheelproof/starter/spec.toml.j2": "TOML of one name",
}

OBJECTS = ("os", "race", "_race", "self", "results", "counts", "editor", "starter", "jsonl")
"""What has a function ``write`` that is listed itself, or that writes no file but a message."""

LISTED = ("parquet", "of_steps", "of_events", "counterexample", "paths", "recording", "evidence")


def writes(text):
    """The lines of a source that write a file or a stream."""
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Attribute(of, name)):
                base = ast.unparse(of)
            case ast.Call(func=ast.Name(name)):
                base = ""
            case _:
                continue
        last = base.rpartition(".")[2]
        modes = {
            sign
            for each in node.args[:2]
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
            for sign in (each.value if len(each.value) < 4 else "")
        }
        if (
            name in ("write_text", "write_bytes", "writestr", "writelines")
            or (name in ("draft", "replace") and base == "files")
            or (name == "write" and base and last not in (*OBJECTS, *LISTED) and ")" not in last)
            or (name == "write" and "ElementTree(" in base)
            or (name == "dump" and base == "json")
            or (name == "open" and modes & set("wax") and base not in ("os",))
        ):
            found.append(node.lineno)
    return sorted(found)


WRITING = """
file.write_text(text)
file.write_bytes(data)
jar.writestr(name, data)
files.replace(file, data)
files.draft(file)
documents.write(file, document)
sys.stdout.write(text)
json.dump(document, stream)
open(file, "w").close()
file.open("ab")
"""

READING = """
file.read_text()
open(file)
file.open("rb")
race.write(thread)
text.replace("a", "b")
json.dumps(document)
"""


def test_what_writes_is_seen():
    assert writes(WRITING) == list(range(2, 12)) and writes(READING) == []


def test_each_writer_is_listed_with_what_it_writes():
    near = re.compile(r"\.write|\.dump\(|\bfiles\.|\bopen\(")
    found = set()
    for package in ("wheelproof", "proofs", "real", "tools"):
        for file in (ROOT / package).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            if near.search(text) and writes(text):
                found.add(file.relative_to(ROOT).as_posix())
    assert not found - WRITERS.keys(), "say what it writes, and test the text of others in it"
    assert not WRITERS.keys() - found, "these write nothing any more"


def test_each_template_is_listed():
    found = {file.relative_to(ROOT).as_posix() for file in (ROOT / "wheelproof").rglob("*.j2")}
    assert found == TEMPLATES.keys()


# -- commands


def shell_lines(text):
    """(line, expression) of what a text puts behind a command without a quote."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.JoinedStr):
            continue
        behind = False
        for part in node.values:
            if isinstance(part, ast.Constant):
                last = list(COMMAND.finditer(part.value))
                if last:
                    behind = "`" not in part.value[last[-1].end() :]
                elif "`" in part.value or "\n" in part.value:
                    behind = False
            elif behind and not ast.unparse(part.value).startswith(("shlex.quote(", "shlex.join(")):
                found.append((node.lineno, ast.unparse(part.value)))
    return found


COMMAND = re.compile(
    r"\b(?:wheelproof [a-z-]+|java -|python -m|make [a-z-]+ |pip install|git [a-z]+ )"
)

QUOTED = {
    ("wheelproof/checks/sensitivity.py", "NAME"): "always the same name",
    ("wheelproof/checks/sensitivity.py", "mechanism.name"): "a checked name",
    ("wheelproof/commands/examples.py", "ADDRESS"): "always the same address",
    ("wheelproof/commands/examples.py", "COMMIT[:12]"): "always the same commit",
    ("wheelproof/commands/releases.py", "task.name"): "a checked name",
    ("wheelproof/commands/releases.py", "row.trace"): "a file's name, of checked names",
    ("wheelproof/commands/starting.py", "name"): "a checked name",
    ("wheelproof/commands/starting.py", "at"): "a quoted folder",
    ("wheelproof/commands/starting.py", "mechanism.name"): "a checked name",
    ("wheelproof/counterexample/replay.py", "trace.mechanism"): "a checked name",
    ("wheelproof/doctor.py", "package"): "one of a table",
    ("wheelproof/errors.py", "extra"): "a literal of a caller",
    ("wheelproof/doctor.py", "text"): "no command: the tool's version",
    ("wheelproof/counterexample/export.py", "schedule"): "no command: a test of Python",
    ("wheelproof/tlc/libraries.py", "error.strerror"): "no command: a reason of the system",
    ("wheelproof/tlc/mc.py", "config.name"): "a checked name",
    ("wheelproof/tlc/mc.py", "library"): "an option with a fixed folder",
}
"""File and expression that stands in a command, and why it is a word."""


def test_what_stands_in_a_command_is_a_word():
    assert shell_lines("f'Run `wheelproof show {file}`.'") == [(1, "file")]
    assert shell_lines("f'java -cp x {name} {other}'") == [(1, "name"), (1, "other")]
    assert shell_lines("f'{file}: run `wheelproof list` for {name}.'") == []
    assert shell_lines("f'wheelproof show {shlex.quote(file)}'") == []
    found = set()
    for package in ("wheelproof", "real", "tools"):
        for file in sorted((ROOT / package).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if COMMAND.search(text):
                place = file.relative_to(ROOT).as_posix()
                found |= {(place, expression) for _, expression in shell_lines(text)}
    assert found == QUOTED.keys()
