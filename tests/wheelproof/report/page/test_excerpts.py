"""An excerpt ends where the label ends, or the function of the line."""

from dataclasses import replace

import pytest

from wheelproof import project
from wheelproof.counterexample.document import Step
from wheelproof.report.page import excerpts
from wheelproof.report.page.excerpts import Excerpts

TLA = """---- MODULE Thing ----
(*--algorithm Thing
process thread \\in {1}
begin
A1: if x = 1 then
A2:   x := 2;
      y := /\\ 3
        /\\ 4;
    else
A3:   x := 5;
    end if;
A4: while x > 1 do
      x := 1;
    end while;
end process;
end algorithm; *)
\\* BEGIN TRANSLATION
====
"""
CODE = """def first():
    return 1

def second():
    return 2  # read A2

def third():
    return 3
"""


@pytest.fixture
def shown(trace, subject_folder):
    (subject_folder / "spec/Thing.tla").write_text(TLA)
    (subject_folder / "impl/thing.py").write_text(CODE)

    def made(label, source=None):
        run = replace(trace, steps=(Step("a", label, "read", source),), impl_without="")
        found = Excerpts(subject_folder, project.find(subject_folder))
        ((spec, code),) = found.of_trace(replace(run, model_without=""))
        return found.found[code if source else spec]["lines"]

    return made


@pytest.mark.parametrize(
    ("label", "last"),
    [("A1", "A1: if x = 1 then"), ("A2", "        /\\ 4;"), ("A3", "A3:   x := 5;")],
)
def test_a_label_ends_before_the_next_branch(shown, label, last, monkeypatch):
    lines = shown(label)
    assert lines[0].startswith(f"{label}:") and lines[-1] == last
    monkeypatch.setattr(excerpts, "_statement", lambda lines: lines)
    assert (shown(label)[-1] == last) is (label == "A1"), "the control"


def test_a_statement_of_the_label_itself_has_its_end(shown):
    assert shown("A4") == ["A4: while x > 1 do", "      x := 1;", "    end while;"]


def test_the_lines_around_one_of_the_code_are_of_its_function(shown, monkeypatch):
    assert shown("A2", "impl/thing.py:5") == ["def second():", "    return 2  # read A2"]
    monkeypatch.setattr(excerpts, "_functions", lambda file, lines: [])
    assert len(shown("A2", "impl/thing.py:5")) == 7, "the control"
