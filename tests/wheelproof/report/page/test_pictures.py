"""The page's pictures: labels by scenarios, coverage, lateness; in any mode and on paper."""

import json
import re
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from wheelproof import project
from wheelproof.pipeline import report as of_traces
from wheelproof.report import files, page, recorded
from wheelproof.verdict import judge

STYLE = resources.files("wheelproof.report.page").joinpath("style.css").read_text(encoding="utf-8")
BUILD = Path("build")
RAN = {"two": "A1, A2", "three": "A1"}


def covered(good, ran=RAN, **figures):
    figures = {"declared": 2, "silent": 0, "exercised": 2, "scenarios": ran, **figures}
    row = judge(
        "thing", "coverage", "labels", expected="exhaustive", verdict="exhaustive", figures=figures
    )
    return replace(good, rows=(*good.rows, row))


@pytest.fixture
def shown(subject_folder):
    """The page of results; of a check of traces too, if one is given."""

    def made(results, found=None):
        return page.render(results, project.find(subject_folder), {}, subject_folder, BUILD, found)

    return made


def squares(text):
    """label -> how many squares the picture has for it, with the count that it states."""
    found = {}
    for group in re.findall(r"<g>.*?</g>", text, re.DOTALL):
        label, count = re.search(r"<title>(.*?): (\d+) of", group).groups()
        found[label] = (group.count("h11v11h-11z"), int(count))
    return found


def test_each_label_has_a_square_for_each_scenario_that_runs_it(shown, good):
    text = shown(covered(good))
    assert squares(text) == {"A1": (2, 2), "A2": (1, 1)}
    assert "Each label is run by a scenario at least." in text
    assert re.findall(r">(two|three)</text>", text) == ["two", "three"]
    assert list(squares(shown(covered(good, {"two": "A10, B, 9, A9"})))) == [
        "9",
        "A1",
        "A2",
        "A9",
        "A10",
        "B",
    ]
    assert "labels</td>" in text and "2 of 2 exercised" in text


def test_a_label_that_no_scenario_runs_is_named_and_marked(shown, good):
    text = shown(covered(good, {"two": "A1", "three": "A1"}, exercised=1))
    assert squares(text) == {"A1": (2, 2), "A2": (0, 0)}
    assert '<strong class="bad">No scenario runs A2.</strong>' in text
    assert text.count('class="lacks"') == 1 and "1 of 2 exercised" in text


@pytest.mark.parametrize("ran", ["A1", {}, {"two": 1}, ["two"]])
def test_results_without_the_figure_have_no_picture(shown, good, ran):
    assert "<g>" not in shown(covered(good, ran))


def test_the_picture_is_not_repeated_as_text(shown, good):
    assert "{&#39;two&#39;" not in shown(covered(good)) and "A1, A2" not in shown(covered(good))


def test_any_name_is_shown_as_it_is(shown, good):
    hostile = "</title><script>alert(1)</script>\x1b"
    text = shown(covered(good, {hostile: hostile}))
    assert "<script>alert" not in text and "&lt;/title&gt;&lt;script&gt;" in text
    assert "\x1b" not in text


def checked(**changes):
    """The document of a check of traces, as the tool writes it."""
    made = of_traces.Report(
        runs=[{"verdict": "conforms"}, {"verdict": "violates"}, {"verdict": "conforms"}],
        events=1234,
        coverage={
            "kinds": {"list_add": 7},
            "kinds_unseen": ["wheel_place"],
            "edges": {"entry|made|list_add|": 7},
            "edges_untaken": [],
        },
        lateness={
            "count": 1005,
            "least_ms": -3,
            "greatest_ms": 70,
            "classes": [
                {"from_ms": None, "below_ms": 0, "count": 4},
                {"from_ms": 0, "below_ms": 1, "count": 1000},
                {"from_ms": 64, "below_ms": 128, "count": 1},
            ],
        },
    )
    return made.document() | changes


def published(good, folder, root, document):
    (folder / recorded.FILE).write_text(json.dumps(document))
    files.publish(folder, good, project.find(root), root)
    return (folder / files.PAGE_FILE).read_text(encoding="utf-8")


def test_lateness_is_a_histogram_without_gaps(good, tmp_path, subject_folder):
    text = published(good, tmp_path, subject_folder, checked())
    part = text[text.index('id="recorded"') :]
    assert "1,234 events" in part and "2 conforms, 1 violates" in part
    assert "no part of the verdict" in part and "wheel_place" in part
    assert "1,005 entries" in part and "from -3 ms to 70 ms" in part
    rows = re.findall(r"<tr><td>([^<]* ms)</td>(.*?)</tr>", part, re.DOTALL)
    assert [name for name, _ in rows] == ["below 0 ms", "0 to 1 ms", "1 to 64 ms", "64 to 128 ms"]
    widths = [re.findall(r'width="([\d.]+)" height="12"/', each) for _, each in rows]
    # The fullest class is the longest bar, an empty one has none, a single entry can be seen.
    assert widths == [["1.04"], ["260.0"], [], ["1.0"]]


def test_without_a_check_of_traces_the_page_says_nothing_of_it(good, tmp_path, subject_folder):
    files.publish(tmp_path, good, {}, subject_folder)
    assert "Recorded traces" not in (tmp_path / files.PAGE_FILE).read_text(encoding="utf-8")


def test_traces_without_deadlines_have_no_histogram(good, tmp_path, subject_folder):
    for nothing in ({}, {"count": 0}):
        text = published(good, tmp_path, subject_folder, checked(lateness=nothing))
        assert "hence there is no lateness" in text and "<h3>Lateness" not in text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"schema": "wheelproof.trace-check/2"}, "trace-check/2"),
        ({"lateness": []}, "lateness"),
        ({"lateness": {"count": 1, "classes": [{"from_ms": "0", "count": 1}]}}, "from_ms"),
        ({"coverage": {}}, "kinds"),
        ({"events": "many"}, "events"),
    ],
)
def test_a_check_that_cannot_be_read_is_reported_and_ends_nothing(
    good, tmp_path, subject_folder, changes, says
):
    text = published(good, tmp_path, subject_folder, checked(**changes))
    assert "Their check is not shown." in text
    assert says in text[text.index("Their check is not shown.") :][:300]


def test_the_schema_is_that_of_the_check():
    assert recorded.SCHEMA == of_traces.SCHEMA


# -- dark mode and print, without a browser


def modes(style):
    """The variables of both modes: name -> colour."""
    light = re.search(r":root \{(.*?)\n\}", style, re.DOTALL)[1]
    dark = re.search(
        r"@media screen and \(prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}", style, re.DOTALL
    )[1]
    return tuple(dict(re.findall(r"--(\w+): (#[0-9a-f]+);", each)) for each in (light, dark))


def contrast(one, other):
    """The ratio of WCAG 2."""

    def luminance(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def faults(style):
    """What cannot be read in one of the modes or on paper."""
    light, dark = modes(style)
    found = [f"--{name} has no dark colour" for name in sorted(light.keys() - dark.keys())]
    for mode, colours in (("light", light), ("dark", light | dark)):
        found += [
            f"--{name} on --paper, {mode}"
            for name in ("ink", "faint", "good", "bad", "warn", "accent")
            if contrast(colours[name], colours["paper"]) < 4.5
        ]
        # A square beside one that is not filled.
        if contrast(colours["accent"], colours["line"]) < 3:
            found.append(f"--accent on --line, {mode}")
    rules = re.findall(r"(\.picture [^{]*)\{([^}]*)\}", style)
    found += [f"{name.strip()} has a colour of its own" for name, body in rules if "#" in body]
    printed = style[style.index("@media print") :]
    found += [f"{name} in print" for name in (".noprint", ".picture") if name not in printed]
    return found


def test_both_modes_and_paper_can_be_read():
    assert faults(STYLE) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("--faint: #9aa4b1; ", "", "--faint has no dark colour"),
        ("--accent: #79b8ff", "--accent: #0b57b0", "--accent on --paper, dark"),
        ("--accent: #0b57b0", "--accent: #9db4cc", "--accent on --line, light"),
        (".picture .done { fill: var(--accent)", ".picture .done { fill: #000000", "colour of its"),
        (".noprint { display: none; }", "{ display: none; }", ".noprint in print"),
    ],
)
def test_a_style_that_cannot_be_read_is_refused(old, new, fault):
    assert STYLE.count(old) == 1
    assert fault in "; ".join(faults(STYLE.replace(old, new)))
