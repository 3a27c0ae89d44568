"""The documents of the proofs: explained assumptions, links, named tests, and the table."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.proofs.declared import theorems as all_theorems
from tools import theorems as outcomes
from wheelproof.commands import theorems
from wheelproof.verdict import Results, Row, read_results

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "proofs" / "ASSUMPTIONS.md"
TABLE = ROOT / "docs" / "theorems.md"
MECHANISMS = {item.mechanism for item in all_theorems()}
ROW = re.compile(r"^\| (A-[A-Z]+) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def declared():
    return all_theorems()


def faults(text: str, declared, folder: Path = PAGE.parent) -> list[str]:
    """What is wrong with the page of assumptions."""
    rows = {row[0]: row for row in ROW.findall(text)}
    used = {each for item in declared for each in item.assumes}
    wrong = [f"{each} is assumed and not explained" for each in sorted(used - set(rows))]
    wrong += [f"{each} is explained and not assumed" for each in sorted(set(rows) - used)]
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if not (folder / target).exists():
            wrong.append(f"the link {target} leads nowhere")
    for identifier, *_, tested in rows.values():
        for target, test in re.findall(r"\]\(([^)]+)\): `(test_\w+)`", tested):
            if (folder / target).is_file() and not re.search(
                rf"^def {test}\(", (folder / target).read_text(encoding="utf-8"), re.MULTILINE
            ):
                wrong.append(f"{identifier}: {target} has no {test}")
    return wrong


def test_every_assumption_is_explained_used_and_tested_where_the_page_says(declared):
    assert faults(PAGE.read_text(encoding="utf-8"), declared) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("| A-DIV |", "| A-DIVISION |", "A-DIV is assumed and not explained"),
        ("| A-DIV |", "| A-DIVISION |", "A-DIVISION is explained and not assumed"),
        ("(arith/base.py)", "(arith/gone.py)", "the link arith/gone.py leads nowhere"),
        ("`test_a_wheels_interval", "`test_no_wheels_interval", "has no test_no_wheels_interval"),
    ],
)
def test_what_is_wrong_with_the_page_is_noticed(declared, old, new, says):
    text = PAGE.read_text(encoding="utf-8")
    assert old in text
    assert any(says in fault for fault in faults(text.replace(old, new), declared))


# -- the table

OUTCOMES = 5
"""The last columns of a theorem's line, which a run fills."""


def lines(text: str) -> list[list[str]]:
    """The cells of every theorem's line."""
    return [re.split(r" \| ", line[2:-2]) for line in text.splitlines() if line.startswith("| **")]


def without_outcomes(text: str) -> list[str]:
    return [
        " | ".join(re.split(r" \| ", line)[:-OUTCOMES]) if line.startswith("| **") else line
        for line in text.splitlines()
    ]


def test_the_table_is_that_of_the_theorems(declared):
    """Made anew by `python tools/theorems.py`, from the rows of `make nightly`."""
    assert without_outcomes(TABLE.read_text(encoding="utf-8")) == without_outcomes(
        theorems.render(declared, [])
    )


def test_every_line_of_the_table_says_that_it_is_proved_on_twenty_seeds_by_both_solvers(declared):
    shown = lines(TABLE.read_text(encoding="utf-8"))
    for cells in shown:
        assert cells[-4:-2] == ["proved, 20 seeds", "unsat"], cells[0]
        assert int(cells[-5]) > 0
    assert len(shown) == len(declared)


def certified(text: str) -> dict[str, tuple[int, int, int]]:
    """Group of theories -> conditions, those with a certificate, theorems with some."""
    found: dict[str, tuple[int, int, int]] = {}
    for part in text.split("\n## ")[1:]:
        group = part.partition(".")[0]
        for cells in lines(part):
            many, _, of = cells[-2].replace("none", "0 of " + cells[-5]).split(" ")
            assert of == cells[-5] and many in ("0", of), cells[0]
            totals = found.get(group, (0, 0, 0))
            more = int(of), int(many), int(many != "0")
            found[group] = tuple(map(sum, zip(totals, more, strict=True)))
    return found


def test_the_page_of_proofs_counts_the_certificates_of_the_table(declared):
    text = TABLE.read_text(encoding="utf-8")
    groups = certified(text)
    page = (ROOT / "docs" / "proofs.md").read_text(encoding="utf-8")
    for group, (of, many, _) in groups.items():
        assert f"| {many} of {of} |" in page, group
    whole, accepted, theorems_ = map(sum, zip(*groups.values(), strict=True))
    assert f"{accepted} of the {whole:,} conditions have one" in " ".join(page.split())
    assert theorems_ == sum(item.certified != "" for item in declared)
    shown = {cells[0].strip("*") for cells in lines(text) if cells[-2] != "none"}
    assert shown == {item.name for item in declared if item.certified}


def test_a_changed_statement_or_control_makes_the_table_stale(declared):
    text = theorems.render(declared, [])
    number = next(number for number, item in enumerate(declared) if not item.is_lemma)
    for change in (
        {"says": "something else"},
        {"controls": ("another: one",)},
        {"assumes": ("A-NEW",)},
        {"rests_on": ()},
        {"name": "T99"},
    ):
        changed = [*declared[:number], replace(declared[number], **change), *declared[number + 1 :]]
        assert without_outcomes(theorems.render(changed, [])) != without_outcomes(text), change


def page(folder: Path, declared, **changed: int) -> str:
    """The page of a run that proved every theorem. ``changed``: figures of the first one."""
    rows = tuple(
        Row(
            item.mechanism,
            "proof",
            item.name,
            "proved",
            "proved",
            figures={"vcs": 1, "seeds": 20, "second": "unsat", "rlimit_max": 400}
            | (changed if number == 0 else {}),
            ok=True,
        )
        for number, item in enumerate(declared)
    )
    file = folder / "results.json"
    replace(Results.begin({}), rows=rows).write(file)
    return theorems.render(declared, read_results(file).rows)


def test_another_outcome_of_a_run_is_named(declared, tmp_path):
    """`make nightly` compares docs/theorems.md so with its own rows."""
    there = page(tmp_path, declared)
    assert outcomes.differences(there, there, MECHANISMS) == []
    for figures in (
        {"rlimit_max": 4000},
        {"seeds": 3},
        {"second": "unknown"},
        {"vcs": 2},
        {"certificates": 1},
    ):
        made = page(tmp_path, declared, **figures)
        _, _, place, old, new = outcomes.differences(there, made, MECHANISMS)
        name = f"**{declared[0].name}**"
        assert place.startswith("@@") and name in old and name in new


def test_a_mechanism_of_another_night_has_its_statements_compared_alone(declared, tmp_path):
    there, tonight = page(tmp_path, declared), MECHANISMS - {declared[0].mechanism}
    later = page(tmp_path, declared, seeds=3)
    assert outcomes.differences(there, later, tonight) == []
    assert len(outcomes.differences(there, later, MECHANISMS)) > 2
    changed = [replace(declared[0], says="another statement"), *declared[1:]]
    assert len(outcomes.differences(there, page(tmp_path, changed), tonight)) == 5


@pytest.mark.parametrize(("taken", "named"), [(400, 0), (1000, 0), (150, 0), (1001, 5), (90, 5)])
def test_resources_one_step_of_their_rounding_apart_are_no_difference(
    declared, tmp_path, taken, named
):
    """400 is written as 500, whose neighbours are 200 and 1,000."""
    there = page(tmp_path, declared)
    made = page(tmp_path, declared, rlimit_max=taken)
    assert len(outcomes.differences(there, made, MECHANISMS)) == named


def test_results_that_cannot_be_read_are_refused(tmp_path, capsys):
    assert outcomes.main(["--check", str(tmp_path / "gone.json")]) == 2
    assert "theorems: " in capsys.readouterr().err
