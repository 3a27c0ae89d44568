"""The columns of a failing order on the page: as the terminal shows them, in any width."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from markupsafe import escape

from tests.wheelproof.plain import faulty
from tests.wheelproof.report.page.test_browser import BROWSER, NAMES, log, opened, planted
from wheelproof.counterexample import explored
from wheelproof.plain.exploration import explore_program
from wheelproof.report import contents, page
from wheelproof.report.page.orders import Cell, Rule, grids
from wheelproof.verdict import Results, judge

TRACE = "counterexamples/explore.json"
PROGRAMS = (
    faulty.flag_tested_outside_the_lock,
    faulty.locks_in_two_orders,
    faulty.one_condition_for_two_kinds_of_waiters,
)
with_chromium = pytest.mark.skipif(
    BROWSER is None, reason=f"no Chromium on PATH, by the names {', '.join(NAMES)}"
)


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda program: program.__name__)
def order(request):
    return explored.from_exploration(
        "tests/test_it.py::test_it", explore_program(request.param), ()
    )


def rendered(order):
    row = judge(
        "tests/test_it.py", "explore", "test_it", expected="exhaustive", verdict="violated",
        property="assertion", trace=TRACE, why=order.message,
    )  # fmt: skip
    results = replace(Results.begin({"python": "3"}), rows=(row,), complete=True)
    return page.render(results, {}, {}, Path(), Path("build"), None, {TRACE: order})


@pytest.mark.daily(3)
def test_the_cells_are_those_of_the_terminal(order):
    """Each line of a cell stands in the terminal's column of its thread, in this order."""
    grid = grids({TRACE: order})[TRACE]
    lines = order.text(400).splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("---"))
    assert [name.strip() for name in lines[head - 1].split("|")] == list(grid.threads)
    rest = [line for line in lines[head + 1 :] if "|" in line or line.startswith("- - ")]
    printed = []
    for line in rest:
        if line.startswith("- - "):
            printed.append((0, line.strip("- ").removesuffix(" is preempted")))
        else:
            cells = [cell.strip() for cell in line.split("|")]
            printed += [(at, cell) for at, cell in enumerate(cells, 1) if cell]
    shown = []
    for row in grid.rows:
        if isinstance(row, Rule):
            shown.append((0, row.thread))
            continue
        if row.folded:
            count = len(row.folded)
            shown.append((row.column, f"... {count} other step{'s' * (count != 1)}"))
        shown.append((row.column, f"{row.at}  {row.code}"))
        shown += [(row.column, says) for says in row.says]
    assert shown == printed
    assert sum(isinstance(row, Rule) for row in grid.rows) == order.bound


def test_each_step_is_shown_or_folded_once(order):
    """But for steps after the last one that is shown of their thread."""
    cells = [row for row in grids({TRACE: order})[TRACE].rows if isinstance(row, Cell)]
    shown = sum(len(cell.says) for cell in cells if "Error" not in " ".join(cell.says))
    assert shown == sum(not s.folded for s in order.steps if "Error" not in " ".join(s.says))
    folded = [step for cell in cells for step in cell.folded]
    assert len(folded) == len({id(step) for step in folded})
    assert set(map(id, folded)) <= {id(step) for step in order.steps if step.folded}


def test_the_page_has_the_facts_the_ends_and_the_limits(order):
    text = rendered(order)
    for sentence in (*order.order.facts, *order.order.ends, order.message):
        assert escape(sentence) in text
    assert "a free-threaded build may show more" in text and "no longer declares" not in text
    assert 'href="#order-1"' in text and 'id="order-1"' in text


def test_a_mechanism_keeps_its_own_limits(good):
    part = contents.parts(good, {})[0]
    assert any("no longer declares" in limit for limit in part.limits)


HOSTILE = "</code><script>document.title = 'owned'</script><img src=x>"


def test_hostile_text_is_text(order):
    steps = tuple(replace(s, code=HOSTILE, says=(HOSTILE,), holds=(HOSTILE,)) for s in order.steps)
    threads = tuple(order.order.threads)
    text = rendered(replace(order, message=HOSTILE, order=replace(order.order, steps=steps)))
    assert threads and "<img" not in text and "<script>document" not in text


PLACES = """
const box = (each) => each.getBoundingClientRect();
const steps = [...document.querySelectorAll(".order .step, .order .preempted")].map((each) => {
  const {left, right, top, bottom} = box(each);
  return [each.querySelector(".who")?.textContent ?? "", left, right, top, bottom];
});
const heads = Object.fromEntries([...document.querySelectorAll(".order .head")]
  .map((each) => [each.textContent, [box(each).left, box(each).right]]));
const folds = [...document.querySelectorAll(".order details")].map((each) => {
  const before = each.lastElementChild.checkVisibility();
  each.querySelector("summary").click();
  return [before, each.lastElementChild.checkVisibility()];
});
const names = [...document.querySelectorAll(".order .who")].map((each) => each.checkVisibility());
const root = document.documentElement;
log.push(steps, heads, folds, names, root.scrollWidth, root.clientWidth);
"""


@with_chromium
def test_each_step_stands_in_the_column_of_its_thread_below_the_one_before(order, tmp_path):
    steps, heads, folds, names, scroll, client = log(
        opened(rendered(order), tmp_path, script=PLACES, width=1280)
    )
    assert list(heads) == list(order.order.threads) and not any(names)
    for who, left, right, _, _ in steps:
        assert not who or [left, right] == heads[who]
    for before, after in pairwise(steps):
        assert before[4] <= after[3]  # time runs down
    assert all(fold == [False, True] for fold in folds)
    assert scroll <= client and 1200 < client <= 1280


@with_chromium
def test_a_narrow_page_has_one_column_and_no_sideways_scroll(order, tmp_path):
    steps, _, _, names, scroll, client = log(
        opened(rendered(order), tmp_path, script=PLACES, width=390)
    )
    assert all(names) and scroll <= client <= 390
    assert len({(left, right) for who, left, right, _, _ in steps if who}) == 1
    for before, after in pairwise(steps):
        assert before[4] <= after[3]


@with_chromium
def test_a_page_without_its_rules_is_refused(order, tmp_path):
    """The control: steps beside each other, columns on a narrow page, and a line too long."""
    text = rendered(order)
    loose = re.sub(r"grid-area: \d+ / (\d+)", r"grid-column: \1", text)
    steps, *_ = log(opened(loose, tmp_path, script=PLACES, width=1280))
    assert any(before[4] > after[3] for before, after in pairwise(steps))
    wide = planted(text, ".order .who { display: block;", ".order .who { white-space: nowrap;")
    _, _, _, names, _, _ = log(opened(wide, tmp_path, script=PLACES, width=390))
    assert not all(names)
    long = text.replace("<code>", '<code style="white-space: nowrap">' + "x" * 80)
    *_, scroll, client = log(opened(long, tmp_path, script=PLACES, width=390))
    assert scroll > client
