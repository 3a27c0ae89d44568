"""How the page reads: the change beside the threads, narrow pages, the way back, the filter."""

from dataclasses import replace

import pytest

from tests.wheelproof.report.page.test_browser import BUILD, TRACE, log, opened, planted
from tests.wheelproof.report.page.test_orders import with_chromium
from wheelproof import project
from wheelproof.counterexample.document import Step
from wheelproof.report import page
from wheelproof.verdict import judge

pytestmark = with_chromium
OPEN = "#trace=counterexamples%2FM1.json&step=1"
LONG = '<<"a", "b", "c">>'


@pytest.fixture
def condition(trace):
    """A counterexample of four threads: one notifies, another wakes."""
    threads = ("first", "second", "third", "fourth")
    steps = (
        Step("first", "A1", "wait", None, {"asleep": ("{}", '{"first"}'), "x": ("0", LONG)}),
        Step("second", "A2", "notify", None, {"tickets": ("<<>>", '<<{"first"}>>')}),
        Step("third", "A1", "read"),
        Step("first", "A3", "wake", None, {"tickets": ('<<{"first"}>>', "<<>>")}),
        Step("fourth", "A1", "read"),
    )
    initial = {"asleep": "{}", "tickets": "<<>>", "x": "0"}
    return replace(trace, threads=threads, steps=steps, initial=initial)


@pytest.fixture
def text(good, subject_folder, condition):
    row = judge("thing", "coverage", "labels", expected="exhaustive", verdict="exhaustive",
                figures={"exercised": 1, "declared": 2, "scenarios": {"two": "A1"}})  # fmt: skip
    results = replace(good, rows=(*good.rows, row), tools={"jar": "sha256 " + "0" * 64})
    return page.render(
        results, project.find(subject_folder), {TRACE: condition}, subject_folder, BUILD
    )


COLUMNS = """
const box = (each) => each.getBoundingClientRect();
const change = document.querySelector("#rows .row .brief");
const picture = box(document.getElementById("picture"));
log.push(change.scrollWidth <= change.clientWidth && box(change).right <= picture.right,
  [...document.querySelectorAll("#threads .column")].map((each) => each.textContent));
"""


def test_the_change_of_a_step_is_readable_beside_four_threads(text, tmp_path):
    script = COLUMNS
    assert log(opened(text, tmp_path, OPEN, script=script, width=1280)) == [
        True, ["first", "second", "third", "fourth"],
    ]  # fmt: skip
    broken = planted(text, "#viewer.wide { --least: 6rem; }", "#viewer.wide { --least: 11rem; }")
    assert log(opened(broken, tmp_path, OPEN, script=script, width=1280))[0] is False, "the control"


SIDEWAYS = """
for (const part of document.querySelectorAll("details")) part.open = true;
const root = document.documentElement;
log.push(root.scrollWidth - root.clientWidth, root.clientWidth);
"""


@pytest.mark.parametrize("fragment", ["", OPEN])
def test_a_page_of_390_pixels_has_no_sideways_scroll(text, tmp_path, fragment):
    over, width = log(opened(text, tmp_path, fragment, script=SIDEWAYS, width=390))
    assert over <= 0 and width <= 390
    broken = text.replace("(max-width: 40rem)", "(max-width: 1rem)").replace(
        ".versions td { overflow-wrap: anywhere; }", "#viewer { min-width: 30rem; }"
    )
    assert log(opened(broken, tmp_path, fragment, script=SIDEWAYS, width=390))[0] > 0, "the control"


NARROW = """
const row = document.querySelector("#rows .row");
log.push([...row.querySelectorAll(".column")].filter((each) => each.checkVisibility())
  .map((each) => each.textContent), row.querySelector(".brief").clientWidth);
"""


def test_a_narrow_page_has_one_column_with_the_name_of_the_thread(text, tmp_path):
    cells, room = log(opened(text, tmp_path, OPEN, script=NARROW, width=390))
    assert cells == ["first A1wait"] and room > 120
    broken = planted(text, ".column:not(.mine), .arrows { display", ".other { display")
    assert len(log(opened(broken, tmp_path, OPEN, script=NARROW, width=390))[0]) == 4, "the control"


ARROWS = """
const path = document.querySelector("#arrows .way").getAttribute("d");
const numbers = (path ?? "").match(/[\\d.]+/g)?.map(Number) ?? [];
const columns = [...document.querySelectorAll("#threads .column")].map((each) => each.offsetLeft);
const column = (x) => columns.filter((left) => left <= x).length - 1;
log.push(numbers.length ? [[column(numbers[0]), Math.trunc(numbers[1] / 28)],
  [column(numbers[3]), Math.trunc(numbers[4] / 28)]] : []);
log.push(document.getElementById("notice").textContent);
"""
WOKEN = "#trace=counterexamples%2FM1.json&step=4"


def test_an_arrow_leads_from_a_notification_to_the_wake_up(
    text, good, subject_folder, condition, tmp_path
):
    arrow, notice = log(opened(text, tmp_path, WOKEN, script=ARROWS))
    assert arrow == [[1, 1], [0, 3]], "from the second thread's row to the first one's"
    assert notice == "Woken by step 2 (second, A2)."
    quiet = replace(condition, steps=tuple(replace(s, kind="read") for s in condition.steps))
    other = page.render(good, project.find(subject_folder), {TRACE: quiet}, subject_folder, BUILD)
    assert log(opened(other, tmp_path, WOKEN, script=ARROWS)) == [[], ""], "the control"


BACK = """
const spacer = document.createElement("div");
spacer.style.height = "3000px";
document.getElementById("index").prepend(spacer);
for (const part of document.querySelectorAll("#index details")) part.open = true;
const link = [...document.querySelectorAll("#index a[href^='#trace=']")].at(-1);
link.scrollIntoView();
const place = scrollY;
link.click();
setTimeout(() => {
  const seen = document.getElementById("index").hidden;
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
  setTimeout(() => {
    log.push(seen, place > 1000, scrollY === place, document.activeElement === link, location.hash);
    written.textContent = JSON.stringify(log);
  }, 100);
}, 100);
"""


def test_escape_leads_back_to_the_place_and_the_focus(text, tmp_path):
    assert log(opened(text, tmp_path, script=BACK)) == [True, True, True, True, ""]
    broken = planted(text, "left = { link, top: scrollY }", "left = null")
    seen, far, place, focus, _ = log(opened(broken, tmp_path, script=BACK))
    assert seen and far and not place and not focus, "the control"


COUNTED = """
const field = document.getElementById("filter"), matches = document.getElementById("matches");
const folds = () => [...document.querySelectorAll("details")].map((each) => each.open);
const before = folds();
for (const text of ["graph", "none such", ""]) {
  field.value = text;
  field.dispatchEvent(new Event("input"));
  const box = matches.getBoundingClientRect();
  log.push(matches.textContent.trim(), box.bottom < innerHeight);
}
log.push(JSON.stringify(before) === JSON.stringify(folds()));
"""


def test_the_filter_says_on_the_first_screen_how_many_it_shows(text, tmp_path):
    assert log(opened(text, tmp_path, script=COUNTED)) == [
        "shows 1 of 6: thing 1", True, "shows 0 of 6", True, "", True, True,
    ]  # fmt: skip
    broken = planted(text, "lines.filter((row) => !row.hidden)", "lines")
    assert log(opened(broken, tmp_path, script=COUNTED))[0] == "shows 6 of 6: thing 6", (
        "the control"
    )


COUNTING = """<script>window.parses = 0; const parse = JSON.parse;
JSON.parse = (text) => { window.parses++; return parse(text); };</script>"""
PARSES = """
const first = window.parses;
location.hash = "#trace=counterexamples%2FM1.json";
setTimeout(() => {
  log.push(first, window.parses > first);
  written.textContent = JSON.stringify(log);
}, 100);
"""


def parses(text, folder):
    """The texts of data parsed for the first view, and whether a counterexample has its parsed."""
    return log(opened(text.replace("<head>", f"<head>{COUNTING}"), folder, script=PARSES))


def test_the_first_view_comes_before_the_data_and_parses_none_of_it(text, tmp_path):
    ends = text.index("</main>")
    assert ends < text.index('<script type="application/json"')
    assert text[:ends].count("<script") == 0 and text[ends:].count('<main id="index"') == 0
    assert parses(text, tmp_path) == [0, True]
    broken = planted(
        text, "const cache = new Map();", "const cache = new Map(); parsed('excerpts');"
    )
    assert parses(broken, tmp_path)[0] > 0, "the control"
