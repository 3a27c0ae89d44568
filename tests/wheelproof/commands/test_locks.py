"""``wheelproof locks``: the documented graph, or the last report's."""

import pytest
from typer.testing import CliRunner

from tests.docs.reading import ROOT
from wheelproof.cli import app
from wheelproof.project import lock_order
from wheelproof.report import lock_graph
from wheelproof.verdict import RESULTS_FILE, Results, Row


def run(*arguments):
    return CliRunner().invoke(app, ["locks", *map(str, arguments)])


@pytest.mark.parametrize("form", ["text", "svg", "dot"])
def test_the_documented_graph_is_printed(form):
    declared = lock_order.read(ROOT)
    assert declared is not None
    ended = run("--subject", ROOT, "--to", form)
    assert ended.exit_code == 0
    assert ended.output == getattr(lock_graph, form)(lock_graph.documentation(declared))


def test_the_text_has_at_most_80_columns():
    assert max(map(len, run("--subject", ROOT).output.splitlines())) <= 80


def test_without_a_declaration_the_last_report_has_the_graph(tmp_path):
    subject = ROOT / "examples" / "one_shot"
    ended = run("--subject", subject, "--output", tmp_path)
    assert ended.exit_code == 5 and "Run `wheelproof verify`" in ended.output
    row = Row(
        "one_shot",
        "coverage",
        "lock_order",
        "exhaustive",
        "exhaustive",
        figures={"classes": 2, "edges": 1, "A.lock -> B.lock": "impl/a.py:3"},
        ok=True,
    )
    Results((row,), {}, "run", "2026-01-01T00:00:00+00:00").write(tmp_path / RESULTS_FILE)
    ended = run("--subject", subject, "--output", tmp_path)
    assert ended.output == "1  A.lock\n   -> B.lock\n2  B.lock\n"
