"""What the row `edges` of a mechanism takes from its theorems."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.proofs.declared import proved
from wheelproof.checks import prove
from wheelproof.verdict import Verdict, judge


def theorem(name: str, mechanism: str, system: str = "", **others) -> prove.Declared:
    fields = {
        "theory": "",
        "says": "",
        "profile": "fast",
        "is_lemma": False,
        "assumes": (),
        "rests_on": (),
        "controls": (),
    }
    return prove.Declared(mechanism, name=name, system=system, **fields | others)


@pytest.mark.parametrize(
    ("figures", "why"),
    [
        ({"excused": {"S": {"A-KEPT": "b waits at A1"}}}, ""),
        ({"excused": {"S": {"A-OTHER": "b waits at A1"}}}, "b waits at A1"),
        ({"excused": {"S": {"A-KEPT": "b waits", "A-OTHER": "c waits at A2"}}}, "c waits at A2"),
        (
            {"excused": {"S": {"A-KEPT": "b waits"}}, "waiting": {"S": "d waits at A3"}},
            "d waits at A3",
        ),
    ],
)
def test_a_wait_is_excused_by_an_assumption_of_the_theorem_and_by_no_other(figures, why):
    """A scenario that does not keep an assumption is none of a theorem that has it."""
    found = edges(**figures)
    kept = replace(theorem("P", "m", "S", enabled=True), assumes=("A-KEPT",))
    judged = prove.not_carried(kept, found)
    assert judged.endswith(f"where the model waits: {why}") if why else judged == ""
    assert not prove.not_carried(replace(kept, enabled=False), found)


def edges(verdict="exhaustive", **figures):
    return judge(
        "m",
        "proof",
        "edges",
        expected="exhaustive",
        verdict=verdict,
        property="x" if verdict == "violated" else None,
        why="so",
        figures={"compared": ["S"]} | figures,
    )


@pytest.mark.parametrize(
    ("row", "lost"),
    [
        (edges(), {}),
        (
            edges("violated", unlike={"S": "A1 is no step"}),
            {
                "Inv": "which is not the model: A1 is no step",
                "P": "which is not the model",
                "Q": "it rests on P",
            },
        ),
        (
            edges("violated", waiting={"S": "b waits at A1"}),
            {"P": "goes on where the model waits: b waits at A1", "Q": "it rests on P"},
        ),
        (
            edges(waiting={"S": "b waits at A1"}),
            {"P": "goes on where the model waits", "Q": "it rests on P"},
        ),
        (
            edges("vacuous"),
            {
                "Inv": "were not compared",
                "P": "were not compared",
                "Q": "it rests on P",
                "R": "were not compared",
            },
        ),
        (
            edges("error"),
            {
                "Inv": "were not compared",
                "P": "were not compared",
                "Q": "it rests on P",
                "R": "were not compared",
            },
        ),
    ],
)
def test_what_a_difference_takes_from_theorems(row, lost):
    items = [
        theorem("Inv", "m", "S"),
        theorem("P", "m", "S", rests_on=("Inv",), enabled=True),
        theorem("Q", "m", rests_on=("P",)),
        theorem("R", "m", "Another"),
        theorem("T", "m"),
        theorem("P", "another", "S"),
    ]
    rows = [proved(item) for item in items]
    judged = prove.carried_over([row, *rows], items)
    assert {each.name: each.why for each in judged[1:] if not each.ok}.keys() == lost.keys()
    for each in judged[1:-1]:
        if each.name in lost:
            assert each.verdict is Verdict.INCONCLUSIVE and lost[each.name] in each.why
    assert judged[-1].ok, "another mechanism"
    if "R" not in lost:
        assert judged[4].ok and judged[4].why == "no model is compared with Another"
    assert prove.carried_over(rows, items) == rows, "a run without the row says nothing of models"
