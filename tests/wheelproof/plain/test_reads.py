"""A search sees each read of a container: where a write before it changes the value, it says so."""

import importlib.util
from pathlib import Path

import pytest

import wheelproof
from tests.wheelproof.plain import reads
from wheelproof.plain.calling import ExplorationFailed

PROGRAM = """

def program_{number}():
    a, b = [0], {container}
    alone = str((lambda a, b: {expression})([0], {container}))
    values = []
    both(lambda: values.append({expression}), lambda: {change})
    assert str(values[0]) == alone
"""

SEEN = ("bug: AssertionError in MainThread", "bug: RuntimeError in Thread-1", "unseen: ")
"""How an answer begins where a read is seen. An iteration may raise the second one."""


def expressions(kind):
    parts = getattr(reads, kind).replace("\n", ";").split(";")
    return [part.strip() for part in parts if part.strip()]


def loaded(kind, folder):
    """A module with a program for each expression."""
    container, change = reads.MADE[kind]
    text = Path(reads.__file__).read_text(encoding="utf-8") + f"\n\nimport {reads.MODULES}\n"
    for number, expression in enumerate(expressions(kind)):
        text += PROGRAM.format(
            number=number, expression=expression, container=container, change=change
        )
    file = folder / f"reads_{kind.lower()}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def overlooked(kind, folder):
    """The expressions whose reads nothing tells, and what is answered instead."""
    module, answers = loaded(kind, folder), {}
    for number, expression in enumerate(expressions(kind)):
        try:
            answers[expression] = wheelproof.explore(getattr(module, f"program_{number}")).answer
        except ExplorationFailed as failed:
            answers[expression] = str(failed).partition("\n")[0]
    return {
        expression: answer for expression, answer in answers.items() if not answer.startswith(SEEN)
    }


@pytest.mark.daily(3)
@pytest.mark.parametrize("kind", reads.MADE)
def test_no_read_of_a_container_is_overlooked(kind, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    assert overlooked(kind, tmp_path) == {}


def test_an_expression_that_reads_nothing_of_it_is_named(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(reads, "DEQUE", "len(b); isinstance(b, list)")
    assert overlooked("DEQUE", tmp_path) == {"isinstance(b, list)": "exhausted"}
