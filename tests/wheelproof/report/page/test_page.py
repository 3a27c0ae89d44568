"""The page is one file, names nothing outside it, and shows any text as it is."""

import base64
import hashlib
import json
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from wheelproof import project
from wheelproof.counterexample.document import Wait
from wheelproof.report import page
from wheelproof.verdict import judge

BUILD = Path("build")
TRACE = "counterexamples/M1.json"


class Reader(HTMLParser):
    """Counts elements and attributes, and collects the text."""

    def __init__(self):
        super().__init__()
        self.elements, self.attributes, self.text, self.scripts = Counter(), [], [], {}
        self._script = None

    def handle_starttag(self, tag, attrs):
        self.elements[tag] += 1
        self.attributes += [(tag, *pair) for pair in attrs]
        self._script = dict(attrs).get("id", "code") if tag == "script" else None

    def handle_endtag(self, tag):
        self._script = None

    def handle_data(self, data):
        if self._script:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data
        else:
            self.text.append(data)


def parsed(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader


@pytest.fixture
def mechanisms(subject_folder):
    return project.find(subject_folder)


@pytest.fixture
def shown(good, mechanisms, trace, subject_folder):
    return page.render(good, mechanisms, {TRACE: trace}, subject_folder, BUILD)


def words(reader):
    return re.sub(r"\s+", " ", " ".join(reader.text))


def test_it_has_claims_decisions_checks_and_limits(shown):
    text = words(parsed(shown))
    for part in (
        "wheelproof: 3 of 3 checks in order: every verdict as expected",
        "A thing (thing)",
        "✓ 1 / 1",
        "NotSo invariant, known not to hold false in fact",
        "M1 : the thing is not locked killed by Safe after 2 steps",
        "graph two exhaustive 2 threads states 1,200, edges 3,400 1.2",
        "NotSo does not hold: false in fact.",
        "No mutant takes away the decision M2: no check takes this away.",
    ):
        assert part in text, part
    assert "Findings" not in text


def test_it_has_the_program_of_each_thread(shown, good, trace, subject_folder):
    toml = subject_folder / "spec/Thing.toml"
    assert "two : two threads a go b go" in words(parsed(shown))
    changed = toml.read_text().replace('b = [["go"]]', 'b = "go 1; go 2"')
    toml.write_text(changed.replace("[scenarios.two]", "[scenarios.two]\nroom = [1, 2]"))
    other = page.render(good, project.find(subject_folder), {}, subject_folder, BUILD)
    assert "two : two threads (room [1, 2]) a go b go 1; go 2" in words(parsed(other))


def test_findings_come_first_with_reason_and_link(bad, mechanisms, trace, subject_folder):
    file = "counterexamples/it's.json"
    reader = parsed(page.render(bad, mechanisms, {file: trace}, subject_folder, BUILD))
    text = words(reader)
    assert text.index("Findings") < text.index("Mechanisms and layers")
    assert "expected a violation of Safe, got one of Other" in text
    assert ("a", "href", "#trace=counterexamples%2Fit%27s.json") in reader.attributes
    assert reader.elements["noscript"] == 1 and "Safe is violated: 2 steps" in text


def found_with(bad, mechanisms, trace, folder):
    """The page with the trace as that of a finding."""
    return page.render(bad, mechanisms, {"counterexamples/it's.json": trace}, folder, BUILD)


def test_a_finding_leads_to_both_accesses_of_its_race(bad, mechanisms, trace, subject_folder):
    one, other = trace.steps
    raced = replace(
        trace,
        steps=(replace(one, access="first access: read"), replace(other, access="second: write")),
    )
    reader = parsed(found_with(bad, mechanisms, raced, subject_folder))
    link = "#trace=counterexamples%2Fit%27s.json&step="
    links = [each[2] for each in reader.attributes if each[1] == "href" and link in each[2]]
    assert links == [f"{link}1", f"{link}2"]
    assert "step 1: first access: read" in words(reader) and "step 2: second:" in words(reader)
    plain = found_with(bad, mechanisms, trace, subject_folder)
    assert "step 1:" not in words(parsed(plain)), "a run without a race"


def test_a_deadlock_is_drawn_at_its_finding_and_in_the_stepper(
    bad, mechanisms, trace, subject_folder
):
    waits = (Wait("a", "A1", None, ("inside",), ("b",)), Wait("b", "A1", None, ("other",), ("a",)))
    reader = parsed(found_with(bad, mechanisms, replace(trace, waits=waits), subject_folder))
    drawn = [value for _, name, value in reader.attributes if name == "aria-label"]
    circle = [value for value in drawn if value.endswith("a circle: a, inside, b, other, a")]
    assert len(circle) == 2 and reader.elements["figure"] == 2
    assert parsed(found_with(bad, mechanisms, trace, subject_folder)).elements["figure"] == 0


def test_the_stepper_gets_the_steps_with_their_sources(shown):
    scripts = parsed(shown).scripts
    found, excerpts = (json.loads(scripts[name]) for name in (f"trace:{TRACE}", "excerpts"))
    assert [step["label"] for step in found["steps"]] == ["A1", "A1"]
    assert found["idle"] == ["idle"] and found["threads"] == ["a", "b"]
    assert found["holds"] == [["a", "inside", 0, 1], ["b", "inside", 1, 1]]
    code = excerpts[found["steps"][0]["code"]]
    assert code["file"] == "impl/thing.py" and code["marked"] == [1]
    assert code["lines"][1] == "    with lock:  # lock A1, unlock A2"
    assert found["command"] == f"wheelproof replay build/{TRACE}"


def test_it_loads_nothing_and_runs_its_own_script_alone(shown):
    reader = parsed(shown)
    assert not [each for each in reader.attributes if each[1] in ("src", "srcset", "action")]
    assert {each[2][0] for each in reader.attributes if each[1] == "href"} == {"#"}
    for outside in ("url(", "@import", "http:", "https:"):
        assert outside not in shown
    policy = next(value for _, name, value in reader.attributes if value and "default-src" in value)
    digest = hashlib.sha256(reader.scripts["code"].encode()).digest()
    assert f"script-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
    assert policy.startswith("default-src 'none'")


HOSTILE = "</script><script>alert(1)</script><b onclick='x'>&lt;\" ' \u2028 \x1b <!-- ]]> {{ 7 }}"


def test_any_text_is_shown_as_it_is(good, mechanisms, trace, subject_folder):
    def made(text):
        row = judge(
            text,
            text,
            text,
            expected="proved",
            verdict="error",
            bound=text,
            why=text,
            trace="t",
            figures={text: text},
        )
        renamed = replace(
            trace,
            explanation=text,
            threads=(text,),
            steps=(
                replace(trace.steps[0], thread=text, changes={text: (text, text)}, access=text),
            ),
            waits=(Wait(text, text, text, (text,), (text,)),),
        )
        return page.render(
            replace(good, rows=(row,), tools={text: text}),
            mechanisms,
            {"t": renamed},
            subject_folder,
            BUILD,
        )

    hostile, harmless = parsed(made(HOSTILE)), parsed(made("harmless"))
    assert hostile.elements == harmless.elements
    assert [each[:2] for each in hostile.attributes] == [each[:2] for each in harmless.attributes]
    data = json.loads(hostile.scripts["trace:t"])
    assert data["explanation"] == f"The mutant's file says: {HOSTILE}" and data["threads"] == [
        HOSTILE
    ]
    assert HOSTILE.replace("\x1b", "\\x1b").split("\u2028")[0] in "".join(hostile.text)


def test_the_same_input_gives_the_same_bytes(shown, good, mechanisms, trace, subject_folder):
    assert shown == page.render(good, mechanisms, {TRACE: trace}, subject_folder, BUILD)
