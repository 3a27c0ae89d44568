"""The rows over all scenarios: each alone, of its parts, is the row of a verification."""

from dataclasses import replace

import pytest

from tests.model import system_timer
from wheelproof import project, starter
from wheelproof.checks import arithmetic, lock_order, machine, overall, verify
from wheelproof.checks.context import Context
from wheelproof.checks.jobs import plan
from wheelproof.errors import ToolError
from wheelproof.events import VerifyOptions
from wheelproof.verdict import Verdict

OF_PARTS = [row for row in overall.ROWS if row.needs]
OF_ALL = [row for row in overall.ROWS if row.name != arithmetic.NAME]
"""Those of a project without a list of its arithmetic."""
SHOWN_ELSEWHERE = {("labels", "graph"), (lock_order.NAME, "composition")}
"""(row, layer) that make a difference in other tests."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A project, and the options and rows of its verification."""
    root = tmp_path_factory.mktemp("whole")
    starter.write(root, "my_lock")
    options = VerifyOptions((), None, "fast", root, root / "build", 1)
    return options, {(row.layer, row.name): row for row in verify.run(options)}


def alone(options, row):
    """The row, made of what it needs."""
    [mechanism] = project.find(options.root).values()
    jobs = plan(mechanism, "fast", lambda *layers: True, apart=True)
    reports = []
    for layer, name in row.parts(jobs):
        chosen = {"layers": frozenset({layer}), "only": frozenset({(mechanism.name, name)})}
        reports += verify.rows_and_reports(replace(options, cached=True, **chosen))[1][
            mechanism.name
        ]
    return row.row(Context(mechanism, options.output), reports)


def without(row, layer):
    """The row, which does not need this layer."""
    return replace(row, needs=tuple(each for each in row.needs if each != layer))


def found(row):
    return row.verdict, row.ok, row.why, row.figures


def test_a_row_alone_is_that_of_a_verification(whole):
    options, rows = whole
    assert {(row.layer, row.name) for row in OF_ALL} <= rows.keys()
    for row in OF_ALL:
        assert found(alone(options, row)) == found(rows[row.layer, row.name]), row.name
    # planted: a layer that the row needs is left out
    for row in OF_PARTS:
        for layer in row.needs:
            if (row.name, layer) not in SHOWN_ELSEWHERE:
                less = without(row, layer)
                assert found(alone(options, less)) != found(rows[row.layer, row.name]), (row, layer)


def test_the_labels_are_those_of_graphs_that_are_too_large_too(whole, monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "COMPARED", 1)
    options = replace(whole[0], output=tmp_path)
    [row] = [row for row in overall.ROWS if row.name == "labels"]
    assert alone(options, row).figures["exercised"] == 1, "the silent label"
    assert alone(options, without(row, "graph")).figures["exercised"] == 0


def test_the_order_of_locks_is_made_of_composed_runs_too():
    jobs = plan(system_timer.MECHANISM, "nightly", lambda *layers: True, apart=True)
    [row] = [row for row in overall.ROWS if row.name == lock_order.NAME]
    composed = {("composition", name) for name in system_timer.MECHANISM.composed}
    assert composed and composed <= set(row.parts(jobs))
    assert not composed & set(without(row, "composition").parts(jobs))


def test_a_row_that_cannot_be_made_is_an_error_by_its_own_name(whole):
    def fails(context, reports):
        raise ToolError("planted", "")

    options, _ = whole
    [mechanism] = project.find(options.root).values()
    heard = []
    context = Context(mechanism, options.output, listen=heard.append)
    for row in overall.ROWS:
        made = replace(row, make=fails).row(context, [])
        assert (made.layer, made.name, made.verdict) == (row.layer, row.name, Verdict.ERROR)
        assert not made.ok and "planted" in made.why
    assert [notice.row.name for notice in heard] == [row.name for row in overall.ROWS]
