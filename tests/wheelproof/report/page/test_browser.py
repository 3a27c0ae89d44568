"""The page in a real Chromium: links, keys, a run of 10,000 steps, filter, dark mode, print."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from wheelproof import project
from wheelproof.counterexample.document import Step, Wait
from wheelproof.report import page
from wheelproof.verdict import judge

BUILD = Path("build")
TRACE = "counterexamples/M1.json"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "chrome-headless-shell")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason=f"no Chromium on PATH, by the names {', '.join(NAMES)}"
)

DRIVER = """
<script>
addEventListener("load", () => {
  const log = [];
  const step = () => document.getElementById("step").textContent;
  for (const key of %s) {
    document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    log.push([key, step(), location.hash, document.querySelectorAll("#rows .row").length]);
  }
  %s
  const written = document.createElement("pre");
  written.id = "log"; written.textContent = JSON.stringify(log);
  top.document.body.append(written);
});
</script>
"""
LEAST = 500
"""The narrowest window in pixels. A narrower page is shown in a frame."""


def opened(text, folder, fragment="", keys=(), script="", dark=False, width=1300):
    """The document of the page after its script has run and these keys were pressed.

    ``script``: what runs then, and pushes what it finds on ``log``.
    """
    if keys or script:
        # The driver is a second script, which the page's own policy would refuse.
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
        text = text.replace("</body>", DRIVER % (json.dumps(keys), script) + "</body>")
    file, address = folder / "page.html", f"page.html{fragment}"
    file.write_text(text, encoding="utf-8")
    if width < LEAST:
        frame = f'<iframe src="{address}" style="border: 0; width: {width}px; height: 900px">'
        address = "frame.html"
        (folder / address).write_text(f"<!DOCTYPE html>{frame}</iframe>", encoding="utf-8")
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--allow-file-access-from-files",
        f"--window-size={width},900",
        "--virtual-time-budget=2000",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        f"--user-data-dir={folder / 'profile'}",
        "--dump-dom",
        f"{folder.as_uri()}/{address}",
    ]
    # Files, not pipes, and a group of its own: the browser's helpers would keep a pipe open.
    output, errors = folder / "document.html", folder / "errors.txt"
    with output.open("wb") as document, errors.open("wb") as messages:
        browser = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=document,
            stderr=messages,
            start_new_session=True,
        )
        try:
            ended = browser.wait(timeout=300)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()
    assert ended == 0, errors.read_text(encoding="utf-8", errors="replace")
    return output.read_text(encoding="utf-8")


def log(document):
    return json.loads(unescape(re.search(r'<pre id="log">(.*?)</pre>', document)[1]))


def element(document, name):
    return unescape(re.sub("<[^>]*>", " ", re.search(rf'id="{name}"[^>]*>(.*?)</', document)[1]))


@pytest.fixture
def text(good, trace, subject_folder):
    def made(trace=trace):
        mechanisms = project.find(subject_folder)
        return page.render(good, mechanisms, {TRACE: trace}, subject_folder, BUILD)

    return made


def test_a_link_opens_the_counterexample_at_its_step(text, tmp_path):
    document = opened(text(), tmp_path, "#trace=counterexamples%2FM1.json&step=2")
    assert element(document, "step") == "Step 2 of 2: b, A1 lock"
    assert re.search(r'<main id="index" hidden', document)
    assert "lock A1, unlock A2" in document
    other = opened(text(), tmp_path, "#trace=nothing&step=2")
    assert re.search(r'<main id="viewer" hidden', other)


def test_keys_step_through_it(text, tmp_path):
    keys = ["j", "j", "Home", "End", "u", "Escape"]
    logged = log(opened(text(), tmp_path, "#trace=counterexamples%2FM1.json&step=1", keys))
    assert [each[1] for each in logged[:4]] == [
        "Step 2 of 2: b, A1 lock",
        "Step 2 of 2: b, A1 lock",
        "Step 1 of 2: a, A1 lock",
        "Step 2 of 2: b, A1 lock",
    ]
    assert logged[3][2] == "#trace=counterexamples%2FM1.json&step=2"
    assert logged[5][2] == "#mechanism-1"


def test_a_run_of_10_000_steps_has_few_rows_at_a_time(text, trace, tmp_path):
    step = trace.steps[0]
    steps = tuple(
        replace(step, thread="ab"[n % 2], changes={"inside": (str(n), str(n + 1))})
        for n in range(10_000)
    )
    document = opened(
        text(replace(trace, steps=steps)),
        tmp_path,
        "#trace=counterexamples%2FM1.json&step=1",
        ["End", "k", "PageUp", "Home"],
    )
    logged = log(document)
    assert [each[1].split(":")[0] for each in logged] == [
        "Step 10000 of 10000",
        "Step 9999 of 10000",
        "Step 9979 of 10000",
        "Step 1 of 10000",
    ]
    assert all(0 < each[3] < 200 for each in logged), logged


def test_silent_steps_are_hidden_until_requested(text, trace, tmp_path):
    quiet = Step("a", "T0", "silent")
    made = text(replace(trace, steps=(trace.steps[0], quiet, trace.steps[1])))
    logged = log(opened(made, tmp_path, "#trace=counterexamples%2FM1.json&step=1", ["j", "s", "k"]))
    assert [each[1] for each in logged] == [
        "Step 2 of 2: b, A1 lock",
        "Step 2 of 2: b, A1 lock",
        "After step 1 of 2: a, T0 silent",
    ]
    assert [each[2].rpartition("=")[2] for each in logged] == ["2", "2", "1.1"]
    # One row more: that of the violation.
    assert [each[3] for each in logged] == [3, 4, 4]


def test_a_deadlock_says_who_waits_for_whom(text, trace, tmp_path):
    waits = (
        Wait("a", "A1", "impl/thing.py:2", ("inside",), ("b",)),
        Wait("b", "A1", None, ("other",), ("a",)),
    )
    document = opened(
        text(replace(trace, waits=waits)), tmp_path, "#trace=counterexamples%2FM1.json"
    )
    assert "a waits at A1 (impl/thing.py:2) for inside, held by b; it holds inside." in document
    assert "a circle: a, inside, b, other, a" in document


FIGURES = """
log.push([...document.querySelectorAll("figure[data-trace]")].filter((each) => each.offsetParent)
  .map((each) => [each.dataset.trace, each.querySelector("svg").getBoundingClientRect().width > 99,
    each.querySelectorAll("polygon.ring").length]));
"""


@pytest.fixture
def stuck(good, trace, subject_folder):
    """A page with two deadlocks: one with a circle, the other with a thread that sleeps."""
    circle = (Wait("a", "A1", None, ("inside",), ("b",)), Wait("b", "A1", None, ("other",), ("a",)))
    traces = {
        TRACE: replace(trace, waits=circle),
        "other.json": replace(trace, waits=(Wait("a", "A1", None, (), ()),)),
    }
    row = good.rows[-1]
    results = replace(good, rows=(*good.rows, replace(row, name="M3", trace="other.json")))
    return page.render(results, project.find(subject_folder), traces, subject_folder, BUILD)


def test_a_deadlock_is_drawn_and_only_its_own_picture_is_seen(stuck, tmp_path):
    for name, ring in ((TRACE, 4), ("other.json", 0)):
        address = f"#trace={name.replace('/', '%2F')}"
        assert log(opened(stuck, tmp_path, address, script=FIGURES)) == [[[name, True, ring]]]
    broken = planted(stuck, "figure.hidden = figure.dataset.trace !== name", "figure.hidden = true")
    address = "#trace=other.json"
    assert log(opened(broken, tmp_path, address, script=FIGURES)) == [[]], "the control"


RACE = """
const marked = () => [...document.querySelectorAll("#rows .row.race")].map((each) =>
  [each.querySelector(".number").textContent, each.querySelector(".access").textContent,
    each.querySelector(".brief strong").textContent]);
log.push(marked());
const links = [...document.querySelectorAll("#accesses a")];
links[1]?.click();
log.push(location.hash, links.map((each) => each.textContent));
"""


def test_the_accesses_of_a_race_are_marked_at_their_steps(text, trace, tmp_path):
    first, second = ("race on X.f, first access: read by a", "race on X.f, second access: by b")
    quiet, (one, other) = Step("a", "T0", "silent"), trace.steps
    steps = (replace(one, access=first), quiet, replace(other, access=second))
    made = text(replace(trace, property="NoDataRace", steps=steps))
    marked, address, links = log(
        opened(made, tmp_path, "#trace=counterexamples%2FM1.json&step=1", script=RACE)
    )
    assert marked == [["1", "race 1", f"{first} "], ["2", "race 2", f"{second} "]]
    assert address == "#trace=counterexamples%2FM1.json&step=2"
    assert links == [f"step 1: {first}", f"step 2: {second}"]
    broken = planted(made, 'classList.add("race")', 'classList.add("other")')
    marked, *_ = log(opened(broken, tmp_path, "#trace=counterexamples%2FM1.json", script=RACE))
    assert marked == [], "the control"


def test_hostile_text_runs_no_script(text, trace, tmp_path):
    hostile = "</script><script>document.title = 'owned'</script><img src=x onerror=alert(1)>"
    waits = (Wait("a", hostile, hostile, (hostile,), ("b",)), Wait("b", "A", None, (hostile,), ()))
    steps = tuple(replace(step, access=hostile) for step in trace.steps)
    made = text(replace(trace, explanation=hostile, property=hostile, steps=steps, waits=waits))
    document = opened(made, tmp_path, "#trace=counterexamples%2FM1.json")
    assert "<title>owned" not in document and "<img" not in document
    assert "&lt;img src=x" in document


# -- filter, dark mode and print, each with a page in which it is broken


def planted(text, old, new):
    assert text.count(old) == 1, old
    return text.replace(old, new)


FILTER = """
const field = document.getElementById("filter");
for (const text of ["m1", "GRAPH", "no such check", ""]) {
  field.value = text;
  field.dispatchEvent(new Event("input"));
  const all = [...document.querySelectorAll("[data-filter]")];
  log.push([text, all.filter((each) => getComputedStyle(each).display !== "none")
    .map((each) => each.dataset.filter)]);
}
"""


def unfiltered(document):
    """The filters that show a line without their text, or hide one that has it."""
    shown = dict(log(document))
    return [
        text
        for text, lines in shown.items()
        if lines != [line for line in shown[""] if text.lower() in line.lower()]
    ]


def test_the_filter_leaves_the_checks_and_decisions_with_its_text(text, tmp_path):
    document = opened(text(), tmp_path, script=FILTER)
    shown = dict(log(document))
    assert shown["m1"] == ["thing M1 the thing is not locked", "thing / mutant / M1"]
    assert shown["GRAPH"] == ["thing / graph / two"] and shown["no such check"] == []
    assert len(shown[""]) == 5 and unfiltered(document) == []


def test_a_filter_that_hides_nothing_is_refused(text, tmp_path):
    broken = planted(text(), "row.hidden = text", "row.other = text")
    document = opened(broken, tmp_path, script=FILTER)
    assert unfiltered(document) == ["m1", "GRAPH", "no such check"]


COLOURS = """
const style = (name) => getComputedStyle(document.querySelector(name));
log.push(style("body").backgroundColor, style("body").color, style(".picture .label").fill,
  style(".picture .done").fill, style(".picture .rest").fill);
"""
PRINTED = """
for (const rule of document.styleSheets[0].cssRules)
  if (rule.media) rule.media.mediaText = rule.media.mediaText
    .replace("print", "all").replace("screen", "not all");
dispatchEvent(new Event("beforeprint"));
"""
"""The rules for print apply, and those for the screen do not."""


def light(colour):
    """Whether a colour is nearer to white than to black."""
    return sum(map(int, re.findall(r"\d+", colour)[:3])) > 3 * 127


@pytest.fixture
def pictured(text, good, subject_folder):
    """The page with a picture of coverage."""
    row = judge(
        "thing",
        "coverage",
        "labels",
        expected="exhaustive",
        verdict="exhaustive",
        figures={"scenarios": {"two": "A1"}},
    )
    results = replace(good, rows=(*good.rows, row))
    return page.render(results, project.find(subject_folder), {}, subject_folder, BUILD)


def test_the_colours_are_those_of_the_mode(pictured, tmp_path):
    for dark in (False, True):
        paper, ink, label, done, rest = log(opened(pictured, tmp_path, script=COLOURS, dark=dark))
        assert light(paper) is not dark and light(ink) is dark and label == ink
        assert len({paper, done, rest}) == 3, "each square can be seen"


def test_a_page_without_dark_colours_is_refused(pictured, tmp_path):
    broken = planted(pictured, "(prefers-color-scheme: dark)", "(prefers-color-scheme: none)")
    paper, ink, *_ = log(opened(broken, tmp_path, script=COLOURS, dark=True))
    assert light(paper) and not light(ink)


def test_print_is_light_whatever_the_mode(pictured, tmp_path):
    script = PRINTED + COLOURS
    paper, ink, *_ = log(opened(pictured, tmp_path, script=script, dark=True))
    assert light(paper) and not light(ink)
    broken = planted(pictured, "screen and (prefers", "(prefers")
    paper, ink, *_ = log(opened(broken, tmp_path, script=script, dark=True))
    assert not light(paper) and light(ink), "dark paper: the control"


OPEN = """
log.push([...document.querySelectorAll("#index details")].filter((each) => !each.open).length,
  [...document.querySelectorAll("button, input")].filter((each) => each.offsetParent).length);
"""


def test_print_unfolds_everything_and_has_no_button(pictured, tmp_path):
    assert log(opened(pictured, tmp_path, script=PRINTED + OPEN)) == [0, 0]
    folded, buttons = log(opened(pictured, tmp_path, script=OPEN))
    assert folded == 3 and buttons > 0, "on the screen"
    broken = planted(pictured, "part.open = true;\n  });", "\n  });")
    folded, buttons = log(opened(broken, tmp_path, script=PRINTED + OPEN))
    assert folded == 3 and buttons == 0, "the control"


def test_print_has_every_step(text, trace, tmp_path):
    steps = tuple(replace(trace.steps[0], thread="ab"[n % 2]) for n in range(300))
    made = text(replace(trace, steps=steps))
    count = 'log.push(document.querySelectorAll("#rows .row").length);'
    address = "#trace=counterexamples%2FM1.json&step=1"
    screen, paper = (
        log(opened(made, tmp_path, address, script=script + count)) for script in ("", PRINTED)
    )
    assert screen[0] < 200 and paper == [301], "one row more: that of the violation"
