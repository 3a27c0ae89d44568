"""The sequence diagram of a failing order: its bars are the operations of the run."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.wheelproof.linearizability.subjects import FAULTY
from tests.wheelproof.linearizability.test_classes import MANY, answer
from tests.wheelproof.plain import faulty
from tests.wheelproof.report.page.test_browser import light, log, opened, planted
from tests.wheelproof.report.page.test_orders import rendered, with_chromium
from wheelproof.counterexample import explored
from wheelproof.plain.exploration import explore_program
from wheelproof.report.page.sequence import diagram


def of_class(name):
    make, given, *_ = FAULTY[name]
    return explored.from_exploration("tests/test_it.py::test_it", answer(make, given, MANY), ())


@pytest.fixture(scope="module", params=["lost update", "two orders of locks"])
def run(request):
    return of_class(request.param)


def results(run):
    """The operations with their results, as the message about a history has them."""
    return {f"{o.thread} {o.text}": o.result for o in run.order.operations}


def test_the_operations_of_the_failing_run_are_known():
    run = of_class("lost update")
    parts = re.findall(r"(T\d \w+\([^)]*\)): ([^,]+)", run.message)
    assert parts and dict(parts).items() <= results(run).items()
    for operation in run.order.operations:
        own = [at for at, step in enumerate(run.order.steps) if step.thread == operation.thread]
        if operation.thread != "MainThread":
            assert operation.first in own and operation.last in own


def faults(run, made):
    """What is drawn otherwise than the run has it."""
    order = run.order
    lifelines = dict(made.lifelines)
    drawn = sorted(bar.name for bar in made.bars)
    if drawn != sorted(operation.text for operation in order.operations):
        yield "bars"
    for operation in order.operations:
        bars = [bar for bar in made.bars if bar.name == operation.text]
        if all(bar.x + 5 != lifelines[operation.thread] for bar in bars):
            yield "lifelines"
        if any(bar.is_open for bar in bars) is (operation.last is not None):
            yield "open bars"
    if len(made.preemptions) != sum(step.preempts for step in order.steps):
        yield "preemptions"
    if any(before.y >= after.y for before, after in pairwise(made.texts)):
        yield "time"
    returned = [text.whole for text in made.texts if text.kind == "result"]
    if sorted(returned) != sorted(
        "waits for ever" if o.last is None else f"returns {o.result}" for o in order.operations
    ):
        yield "results"


@pytest.mark.daily(2)
def test_each_operation_is_a_bar_of_its_thread_with_its_result(run):
    assert list(faults(run, diagram(run))) == []
    first, *others = run.order.operations
    fault_of = {"text": "bars", "thread": "lifelines", "result": "results", "last": "open bars"}
    for name, fault in fault_of.items():
        value = (0 if first.last is None else None) if name == "last" else "other"
        changed = replace(first, **{name: value})
        if name == "result" and first.last is None:
            continue
        order = replace(run.order, operations=(changed, *others))
        assert fault in list(faults(run, diagram(replace(run, order=order)))), "the control"


def test_a_program_without_operations_has_the_turns_of_its_threads():
    run = explored.from_exploration(
        "tests/test_it.py::test_it", explore_program(faulty.flag_tested_outside_the_lock), ()
    )
    made = diagram(run)
    threads = [step.thread for step in run.order.steps if not step.folded]
    turns = 1 + sum(before != after for before, after in pairwise(threads))
    assert len(made.bars) == turns and made.words == "" and not any(b.is_open for b in made.bars)
    assert "a turn of the thread" in rendered(run)


def test_a_file_has_the_operations(run, tmp_path):
    run.write(tmp_path / "order.json")
    again = explored.read(tmp_path / "order.json")
    assert again.order.operations == run.order.operations != ()


def test_the_picture_has_its_words_and_no_script(run):
    text = rendered(run)
    svg = re.search(r'<svg class="picture sequence".*?</svg>', text, re.DOTALL)[0]
    assert 'role="img"' in svg and 'aria-label="Sequence diagram: ' in svg
    assert "<script" not in svg and "href" not in svg
    assert svg.count('class="turn') == len(run.order.operations)


COLOURS = """
const style = (name) => getComputedStyle(document.querySelector(".sequence " + name));
log.push(getComputedStyle(document.body).backgroundColor, style(".call").fill, style(".turn").fill,
  style("text.cut").fill);
"""


@with_chromium
def test_it_is_drawn_in_the_colours_of_the_mode(tmp_path):
    text = rendered(of_class("lost update"))
    for dark in (False, True):
        paper, call, bar, cut = log(opened(text, tmp_path, script=COLOURS, dark=dark))
        assert light(paper) is not dark and light(call) is dark
        assert len({paper, call, bar, cut}) == 4
    broken = planted(
        text, ".sequence .turn { fill: var(--here)", ".sequence .turn { fill: var(--paper)"
    )
    paper, _, bar, _ = log(opened(broken, tmp_path, script=COLOURS))
    assert paper == bar, "the control"
