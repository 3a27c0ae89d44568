"""A proof is judged again without each part of its evidence, and refused then."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from tests.found import mechanisms
from wheelproof.checks import complete, prove
from wheelproof.checks.context import Context
from wheelproof.prove import evidence

WHOLE = {"vcs": 1, "seeds": 1, "second": "unsat", "controls": 1}


@pytest.mark.parametrize("part", ["vcs", "seeds", "second", "links", "controls"])
def test_a_judge_of_evidence_that_misses_a_part_ends_the_run_with_an_error(part, monkeypatch):
    whole = WHOLE | {"links": 1}
    judge = complete.defect

    def blind(verdict, figures, *needs):
        return judge(verdict, {**figures, part: whole[part]}, *needs)

    assert complete.unnoticed("proved", whole, 1, False, 1) == ""
    monkeypatch.setattr(complete, "defect", blind)
    found = complete.unnoticed("proved", whole, 1, False, 1)
    assert found == f"a proof that lacks {part} would be taken"


def test_a_proof_is_not_in_order_where_its_judge_misses_what_it_lacks(tmp_path, monkeypatch):
    theorem = SimpleNamespace(
        name="claim", theory="claims", is_lemma=False, rests_on=(), certified=""
    )
    made = SimpleNamespace(verdict="proved", why="", figures=lambda: WHOLE)
    theory = SimpleNamespace(
        name="claims",
        mechanism="atomic",
        theorems={"claim": theorem},
        closure=lambda name: [theorem],
    )

    @contextmanager
    def loaded(root):
        yield {"claims": theory}

    monkeypatch.setattr(prove, "loaded", loaded)
    monkeypatch.setattr(evidence, "check", lambda *_, **__: made)
    context = Context(mechanisms()["atomic"], tmp_path)
    (sound,) = prove.check(context, ("claim",), 1).rows
    monkeypatch.setattr(complete, "defect", lambda *_: "")
    (row,) = prove.check(context, ("claim",), 1).rows
    assert sound.ok and (row.ok, row.verdict) == (False, "error")
    assert "a proof that lacks vcs, seeds, second, controls would be taken" in row.why
