"""The picture of a deadlock: every wait and every holder is an arrow from box to box."""

import re
from dataclasses import replace
from itertools import combinations

import pytest

from wheelproof.counterexample.document import Counterexample, Step, Wait
from wheelproof.counterexample.wait_graph import Arrow, wait_graph
from wheelproof.report.page.wait_picture import HIGH, picture

NULL = '"null"'


def ended(steps, *waits):
    threads = tuple(dict.fromkeys([*(step.thread for step in steps), *(w.thread for w in waits)]))
    initial = {"x": NULL, "y": NULL, "z": NULL, "asleep": "{}"}
    return Counterexample(
        "thing", "mutant", "M", "two", "NoDeadlock", "", threads, initial, steps, waits=waits
    )


def takes(thread, place):
    return Step(thread, "L", "lock", None, {place: (NULL, f'"{thread}"')})


def sleeps(thread, before, after):
    changes = {"x": (f'"{thread}"', NULL), "asleep": (before, after)}
    return Step(thread, "W", "wait", None, changes)


def wait(thread, *places, by=()):
    return Wait(thread, "L", None, places, tuple(by))


CIRCLE = ended(
    (takes("a", "x"), takes("b", "y")),
    *(wait("a", "y", by="b"), wait("b", "x", by="a"), wait("c", "y", by="b")),
)
THREE = ended(
    (takes("a", "x"), takes("b", "y"), takes("c", "z")),
    *(wait("a", "y", by="b"), wait("b", "z", by="c"), wait("c", "x", by="a")),
    *(wait("d", "x", by="a"), wait("e", "x", by="a"), wait("f", "z", by="c")),
)
ITSELF = ended((takes("a", "x"),), wait("a", "x", by="a"))
ASLEEP = ended(
    (sleeps("q", "{}", '{"q"}'), sleeps("long" * 20, '{"q"}', f'{{"q", "{"long" * 20}"}}')),
    *(wait("q"), wait("long" * 20)),
)
NESTED = ended((takes("c", "y"), sleeps("c", "{}", '{"c"}')), wait("p", "y", by="c"), wait("c"))
ALL = {"circle": CIRCLE, "three": THREE, "itself": ITSELF, "asleep": ASLEEP, "nested": NESTED}


def arrows(trace):
    return {(each.start[1], each.says, each.end[1]) for each in wait_graph(trace).arrows}


def test_the_circle_has_waits_and_holders_and_so_has_the_thread_outside():
    graph = wait_graph(CIRCLE)
    assert arrows(CIRCLE) == {
        *(("a", "waits for", "y"), ("y", "held by", "b")),
        *(("b", "waits for", "x"), ("x", "held by", "a"), ("c", "waits for", "y")),
    }
    assert [name for _, name in graph.ring] == ["a", "y", "b", "x"]


def test_a_sleeper_waits_for_the_condition_that_names_it_and_there_is_no_circle():
    assert arrows(NESTED) == {
        *(("p", "waits for", "y"), ("y", "held by", "c")),
        ("c", "waits for", "asleep"),
    }
    graph = wait_graph(NESTED)
    assert ("condition", "asleep") in graph.nodes and graph.ring == ()
    unnamed = ended((Step("c", "W", "wait", None, {}),), wait("c"))
    assert arrows(unnamed) == {("c", "waits for", "a notification")}
    awake = ended((takes("c", "y"),), wait("c"))
    assert arrows(awake) == {("c", "waits for", "more than one variable")}


def test_a_run_that_is_no_deadlock_has_no_picture(trace):
    assert wait_graph(trace) is None


def faults(made, graph):
    """What is wrong with a picture: arrows that miss their boxes, boxes that overlap or are cut."""
    boxes = {(box.kind, box.name): box for box in made.boxes}
    found = [f"no box of {name}" for kind, name in graph.nodes if (kind, name) not in boxes]
    if len(made.lines) != len(graph.arrows):
        return [*found, "not as many arrows as waits and holders"]
    for arrow, line in zip(graph.arrows, made.lines, strict=True):
        x, y = map(float, re.match(r"M(\S+) (\S+)L", line.path).groups())
        tip = [float(part) for part in line.head.split()[0].split(",")]
        for what, node, point in (("start", arrow.start, (x, y)), ("end", arrow.end, tip)):
            box = boxes[node]
            across, over = abs(point[0] - box.x), abs(point[1] - box.y)
            at_side = abs(across - box.width / 2) < 0.1 and over < HIGH / 2
            at_edge = abs(over - HIGH / 2) < 0.1 and across < box.width / 2
            if not at_side and not at_edge:
                found.append(f"the {what} of {arrow.start[1]} {arrow.says} {arrow.end[1]}")
    for one, other in combinations(made.boxes, 2):
        if abs(one.x - other.x) < (one.width + other.width) / 2 and abs(one.y - other.y) < HIGH:
            found.append(f"{one.name} overlaps {other.name}")
    found += [
        f"{box.name} is cut"
        for box in made.boxes
        if not box.width / 2 <= box.x <= made.width - box.width / 2
        or not HIGH / 2 <= box.y <= made.height - HIGH / 2
    ]
    return found


@pytest.mark.parametrize("name", ALL)
def test_each_arrow_leads_from_its_box_to_its_box(name):
    graph = wait_graph(ALL[name])
    assert faults(picture(graph), graph) == []


def test_a_name_that_is_too_long_is_shortened_and_stands_whole_beside_it():
    (box,) = [box for box in picture(wait_graph(ASLEEP)).boxes if box.name.startswith("long")]
    assert box.text.endswith("…") and len(box.text) == 26 and box.name == "long" * 20


def moved(made, name, **places):
    boxes = tuple(replace(box, **places) if box.name == name else box for box in made.boxes)
    return replace(made, boxes=boxes)


def test_a_picture_that_is_wrong_is_refused():
    graph = wait_graph(CIRCLE)
    made = picture(graph)
    y = next(box for box in made.boxes if box.name == "y")
    assert "the start of a waits for y" in faults(moved(made, "a", x=999.0), graph)
    assert "b overlaps y" in "; ".join(faults(moved(made, "y", y=y.y + 74), graph))
    assert "y is cut" in faults(replace(made, width=int(y.x)), graph)
    assert "not as many" in faults(replace(made, lines=made.lines[1:]), graph)[0]
    turned = [Arrow(each.says, each.end, each.start) for each in graph.arrows]
    assert "the end of y waits for a" in faults(made, replace(graph, arrows=tuple(turned)))
