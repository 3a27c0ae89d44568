"""Generated files: names are checked, and other texts are literals of the file's language.

Each language that has texts of others in it is read again by its own parser: whatever a text has
in it, the file has the same parts. `test_writers.py` lists what writes files.
"""

import ast
import json
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheelproof import starter
from wheelproof.counterexample import export
from wheelproof.counterexample.document import Counterexample, Step
from wheelproof.errors import UsageError
from wheelproof.report import lock_graph, sarif, summary
from wheelproof.report.lock_graph import LockGraph
from wheelproof.tlc import mc
from wheelproof.tlc.values import ModelValue, format_tla, parse_value
from wheelproof.verdict import Results, judge

ROOT = Path(__file__).parents[2]

# -- texts of others

HOSTILE = [
    'x"""\n__import__("os").system("exit 1")\n"""',
    "x'''\nimport os\n'''",
    '"\n====\nASSUME FALSE\n---- MODULE M ----',
    "a\\",
    '\\"',
    "*) x == 1 (*",
    "</script><script>alert(1)</script>",
    "]]></failure><testcase/>",
    "`id` $(id) ; id | id & id",
    "`` ` ```",
    "a\nb\r\nc\td\x0be\x0cf",
    "\x00\x1b[31m\u202e\u2028\x85",
    "-rf",
    "../../up",
    "",
    "{{ 7 * 7 }} {% raw %} %s {0}",
    "\ud800",
]
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=20))

TRACE = Counterexample(
    "door",
    "mutant",
    "Open",
    "two",
    "Closed",
    "why",
    ("a", "b"),
    {"x": "0", "y[a]": "1"},
    (Step("a", "A1", "lock", "impl/door.py:3", {"x": ("0", "1")}), Step("b", "B1", "read")),
)
NAMES = ("mechanism", "name", "scenario", "property")


def parts_of(text):
    """The nodes of a source without its texts, and its texts."""
    tree = ast.parse(text)
    shapes = [
        (type(node).__name__, getattr(node, "id", getattr(node, "attr", "")))
        for node in ast.walk(tree)
    ]
    return shapes, [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@pytest.mark.daily(2)
@pytest.mark.parametrize("field", NAMES)
@given(text=TEXTS)
def test_an_exported_test_has_the_parts_that_it_always_has(field, text):
    shapes, _ = parts_of(export.pytest(TRACE))
    try:
        made = export.pytest(replace(TRACE, **{field: text}))
    except UsageError:
        return
    found, texts = parts_of(made)
    assert found == shapes and (field == "name" or text in texts)


@given(text=TEXTS, label=TEXTS, choice=TEXTS)
def test_an_exported_schedule_has_the_words_of_its_steps(text, label, choice):
    steps = (replace(TRACE.steps[0], thread=text, label=label, choice=(choice,)),)
    shapes, _ = parts_of(export.pytest(TRACE))
    try:
        made = export.pytest(replace(TRACE, threads=(text,), steps=steps))
    except UsageError:
        return
    except UnicodeEncodeError:
        assert choice == "\ud800"
        return
    found, texts = parts_of(made)
    assert found == shapes
    schedule = next(each for each in texts if each.startswith("\n    "))
    assert schedule.split() == export.schedule_of(replace(TRACE, steps=steps))


def test_the_reproduction_is_refused():
    """A property that ends the docstring of the test."""
    hostile = 'x"""\n__import__(\'os\').system(\'...\')\n"""'
    with pytest.raises(UsageError, match="has the name"):
        export.pytest(replace(TRACE, property=hostile))


@given(text=TEXTS)
def test_an_exported_run_is_json_with_the_same_texts(text):
    steps = (replace(TRACE.steps[0], label=text, thread=text, choice=(text,)),)
    made = json.loads(export.itf(replace(TRACE, property=text, initial={"x": text}, steps=steps)))
    assert made["states"][1]["label"] == text == made["states"][1]["thread"]
    assert text in made["#meta"]["description"]


@pytest.mark.parametrize(
    "initial", [{"x": "1", "x[a]": "1"}, {"x[a]": "1", "x": "1"}, {"label": "1"}, {"#meta": "1"}]
)
def test_a_run_with_two_values_of_one_name_has_no_itf(initial):
    with pytest.raises(UsageError, match="two values of the name"):
        export.itf(replace(TRACE, initial=initial))


# -- TLA+


@given(text=st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(codec="utf-8"), max_size=9)))
def test_a_string_of_tla_is_read_as_it_was_written(text):
    try:
        written = format_tla(text)
    except UsageError:
        return
    assert "\n" not in written and parse_value(written) == text


def described(**fields):
    fields = {"name": "MCDoor", "spec": Path("Door.tla"), "origin": "a test"} | fields
    return mc.McConfig(**fields)


@given(text=TEXTS)
def test_an_origin_is_a_comment(text):
    plain = mc.module_text(described()), mc.config_text(described())
    for before, after in zip(
        plain, (mc.module_text(described(origin=text)), mc.config_text(described(origin=text)))
    ):
        assert [line for line in after.split("\n") if not line.startswith("\\*")] == [
            line for line in before.split("\n") if not line.startswith("\\*")
        ]
        assert "\r" not in after


@pytest.mark.parametrize("text", [*HOSTILE, "1x", "a b", "é"])
@pytest.mark.parametrize(
    "fields",
    [
        lambda text: {"name": f"MC{text}x y"},
        lambda text: {"spec": Path(f"{text} .tla")},
        lambda text: {"constants": {text: 1}},
        lambda text: {"constants": {"C": ModelValue(text)}},
        lambda text: {"variables": (text,)},
        lambda text: {"definitions": {text: "1"}},
        lambda text: {"invariants": (text,)},
        lambda text: {"properties": (text,)},
    ],
)
def test_a_module_has_names_where_tla_needs_names(fields, text):
    for made in (mc.module_text, mc.config_text):
        with pytest.raises(UsageError):
            made(described(**fields(text)))


# -- reports


def locks(text):
    name = f"A{text}"
    return LockGraph({name: text, "B": ""}, frozenset({(name, "B")}), {("B", name): text})


def test_a_graph_of_locks_has_the_same_parts_whatever_their_names():
    for text in HOSTILE[:-1]:
        names = locks(text)
        plain, dot = lock_graph.dot(locks("")), lock_graph.dot(names)
        assert len(dot.splitlines()) == len(plain.splitlines())
        unquoted = [re.sub(r'"(?:[^"\\]|\\.)*"', "Q", each) for each in (plain, dot)]
        assert unquoted[0] == unquoted[1]
        assert len(list(ElementTree.fromstring(lock_graph.svg(names)).iter())) == len(
            list(ElementTree.fromstring(lock_graph.svg(locks(""))).iter())
        )


def results(text):
    row = judge(
        text or "m",
        "tlc",
        text or "n",
        expected="exhaustive",
        verdict="error",
        why=text,
        trace=f"counterexamples/{text}.json",
    )
    return Results((row,), {}, "run", "2026-01-02T03:04:05+00:00")


@pytest.mark.parametrize("text", HOSTILE[:-1])
def test_sarif_is_json_with_places_that_are_addresses(text):
    found = {f"counterexamples/{text}.json": replace(TRACE, steps=TRACE.steps[:1])}
    made = json.loads(sarif.render(results(text), found, Path("build")))
    (result,) = made["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "impl/door.py"
    odd = {
        name: replace(each, steps=(replace(TRACE.steps[0], source="impl/a b#%.py:3"),))
        for name, each in found.items()
    }
    made = json.loads(sarif.render(results(text), odd, Path("build")))
    place = made["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "impl/a%20b%23%25.py"


@pytest.mark.parametrize("text", HOSTILE[:-1])
def test_a_command_in_a_summary_is_one_span_of_code(text):
    made = summary.render(results(text), Path("build"))
    assert len(made.splitlines()) == 3
    found = re.search(r": (`+) ?(wheelproof show .*?) ?\1(?!`)\n", made)
    assert found and found[1] not in found[2]


# -- commands


def test_a_quoted_word_is_one_word_of_the_shell():
    """What :func:`shlex.quote` promises, at the texts of this page."""
    for text in HOSTILE:
        if "\x00" in text or "\ud800" in text:
            continue
        shown = subprocess.run(
            ["sh", "-c", f"printf %s {shlex.quote(text)}"], capture_output=True, check=True
        )
        assert shown.stdout.decode() == text


# -- the starter's project


@pytest.mark.parametrize("text", [*HOSTILE, "a b", "a-b", "1a", "A", "é", "os", "class", "impl"])
def test_a_project_has_no_name_that_is_none(text):
    if text == "os":
        assert starter.module_of(text) == "Os"
        return
    with pytest.raises(UsageError):
        starter.files(text)


def test_a_project_has_no_text_but_its_name():
    for place, text in starter.files("my_lock").items():
        if place.endswith(".py"):
            ast.parse(text)
        assert "{{" not in text and "{%" not in text
