"""Steps by choice in a real Chromium: they are those of the model, from any state."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.wheelproof.report.page.test_browser import BUILD, log, opened, planted
from tests.wheelproof.report.page.test_orders import with_chromium
from wheelproof import project
from wheelproof.counterexample import stepping
from wheelproof.counterexample.build import build
from wheelproof.counterexample.places import places, plain
from wheelproof.graph.explorer import explore
from wheelproof.report import files, page
from wheelproof.verdict import Results, judge

pytestmark = with_chromium
ROOT = Path(__file__).parents[4] / "examples/one_shot"
MECHANISMS = project.find(ROOT)
ADDRESS = "#graph=one_shot%2Fthree"


@pytest.fixture(scope="module")
def graph():
    mechanism = MECHANISMS["one_shot"]
    return explore(mechanism.compiled_model(mechanism.scenarios["three"]))


@pytest.fixture(scope="module")
def text(graph, tmp_path_factory):
    output = tmp_path_factory.mktemp("output")
    row = judge("one_shot", "graph", "three", expected="exhaustive", verdict="exhaustive")
    sources = {"O1": "impl/one_shot.py:27"}
    document = stepping.of_graph(MECHANISMS["one_shot"], "three", "three", graph, sources)
    document.write(output / stepping.file_of("one_shot", "graph", "three"))
    results = replace(Results.begin({}), rows=(row,), complete=True)
    graphs = files.graphs(results, output)
    return page.render(results, MECHANISMS, {}, ROOT, BUILD, graphs=graphs)


PICKED = """
const keys = %s, shown = () => [location.hash, Number(document.getElementById("graph-state").value),
  Object.fromEntries([...document.querySelectorAll("#graph-places tr")].map((each) =>
    [each.children[1].textContent, each.children[3].textContent])),
  [...document.querySelectorAll("#moves tr")].map((each) => [each.children[0].textContent,
    [...each.querySelectorAll("button")].map((one) => one.firstChild.textContent)]),
  Object.fromEntries([...document.querySelectorAll("#watches tr")].map((each) =>
    [each.children[0].textContent, each.children[1].textContent]))];
const wait = () => {
  if (!document.querySelector("#moves tr")) { setTimeout(wait, 20); return; }
  log.push(shown());
  for (const key of keys) {
    const button = key.length > 1 && [...document.querySelectorAll("#watches tr")]
      .find((each) => each.children[0].textContent === key)?.querySelector("button");
    if (button) button.click();
    else document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    log.push(shown());
  }
  written.textContent = JSON.stringify(log);
};
wait();
"""


def picked(text, folder, keys, fragment=ADDRESS):
    """The state, its places, the steps and the formulas: at first, and after each key."""
    return log(opened(text, folder, fragment, script=PICKED % json.dumps(keys)))


def differs(graph, shown):
    """What the page shows otherwise than the model has it."""
    for address, number, values, moves, watches in shown:
        state, model = graph.states[number - 1], graph.model
        for place, value in places(model, state).items():
            if values[place] != plain(value):
                yield address, place
        for index, thread in enumerate(model.threads):
            labels = [str(label) for mover, label, _ in graph.edges[number - 1] if mover == index]
            if [name.split()[0] for name in dict(moves)[thread]] != labels:
                yield address, thread
        for name in ("RunsOnce", "ComesTooLate"):
            if watches[name] != str(model.holds(name, state)).upper():
                yield address, name


def test_the_reader_picks_the_thread_that_moves(graph, text, tmp_path):
    shown = picked(text, tmp_path, ["1", "2", "3", "1", "1", "2", "k", "Home"])
    assert list(differs(graph, shown)) == []
    state, path = 0, []
    for choice, (address, number, *_) in zip("123112", shown[1:], strict=False):
        if int(choice) <= len(graph.edges[state]):
            path.append(int(choice) - 1)
            state = graph.edges[state][int(choice) - 1][2]
        assert number == state + 1
        assert address == f"{ADDRESS}&path={'.'.join(map(str, path))}"
    assert shown[7][0] == f"{ADDRESS}&path={'.'.join(map(str, path[:-1]))}"
    assert shown[8][:2] == [ADDRESS, 1]
    broken = planted(text, "values.set(row[place], row[place + 1])", "values.set(row[place], 0)")
    assert list(differs(graph, picked(broken, tmp_path, ["1"]))) != [], "the control"


def test_any_state_is_a_start_and_an_address(graph, text, tmp_path):
    last = len(graph.states) - 1
    chosen = next(n for n in range(last, 0, -1) if graph.edges[n])
    address = f"{ADDRESS}&state={chosen + 1}"
    shown = picked(text, tmp_path, ["1"], f"{address}&path=0")
    assert shown[0][1] == graph.edges[chosen][0][2] + 1 and list(differs(graph, shown)) == []
    beyond = picked(text, tmp_path, [], f"{ADDRESS}&state=999999")
    assert beyond[0][1] == last + 1


def test_the_way_to_another_value_of_a_formula_is_a_shortest_one(graph, text, tmp_path):
    first, there = picked(text, tmp_path, ["ComesTooLate"])
    depth = min(
        level for level, state in zip(graph.levels, graph.states, strict=True)
        if graph.model.holds("ComesTooLate", state)
    )  # fmt: skip
    assert first[4]["ComesTooLate"] == "FALSE" and there[4]["ComesTooLate"] == "TRUE"
    assert there[0].count(".") + 2 == depth and list(differs(graph, [there])) == []


ONWARD = """
document.getElementById("onward").click();
const wait = (ready, then) => ready() ? then() : setTimeout(() => wait(ready, then), 20);
wait(() => document.querySelector("#moves tr"), () => {
  log.push(location.hash, document.getElementById("graph-state").value);
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
  wait(() => !document.getElementById("viewer").hidden, () => {
    log.push(document.getElementById("step").textContent);
    written.textContent = JSON.stringify(log);
  });
});
"""


@pytest.mark.parametrize("without", ["", "OneLook"])
def test_a_step_of_a_counterexample_leads_into_the_graph_and_back(without, graph, tmp_path):
    mechanism = MECHANISMS["one_shot"].without(without)
    if without:
        graph = explore(mechanism.compiled_model(mechanism.scenarios["three"]))
    schedule, choices, state = [], [], 0
    while graph.edges[state]:
        choices.append(len(graph.edges[state]) - 1)
        mover, label, state = graph.edges[state][choices[-1]]
        schedule.append((mover, label))
    trace = build(mechanism, graph.model, schedule, layer="mutant", name="X", scenario="three",
                  property="RunsOnce", explanation="")  # fmt: skip
    row = judge("one_shot", "mutant", "X", expected="violated", expected_property="RunsOnce",
                verdict="violated", property="RunsOnce", trace="x.json")  # fmt: skip
    name = "/".join(filter(None, ("three", without)))
    graphs = {("one_shot", name): stepping.of_graph(mechanism, "three", "X", graph, {})}
    results = replace(Results.begin({}), rows=(row,), complete=True)
    text = page.render(results, MECHANISMS, {"x.json": trace}, ROOT, BUILD, graphs=graphs)
    place = next(n for n, step in enumerate(trace.steps) if n > 3 and step.kind != "silent")
    number = sum(step.kind != "silent" for step in trace.steps[: place + 1])
    opened_page = opened(text, tmp_path, f"#trace=x.json&step={number}", script=ONWARD)
    address, shown, step = log(opened_page)
    path = ".".join(map(str, choices[: place + 1]))
    assert address == f"#graph=one_shot%2F{name.replace('/', '%2F')}&path={path}"
    state = 0
    for choice in choices[: place + 1]:
        state = graph.edges[state][choice][2]
    assert shown == str(state + 1)
    assert step.startswith(f"Step {number} of")
    other = page.render(results, MECHANISMS, {"x.json": trace}, ROOT, BUILD)
    assert 'id="onward" hidden' not in other
    document = opened(other, tmp_path, f"#trace=x.json&step={number}")
    assert 'id="onward" hidden' in document, "the control: no graph, no link"


def test_a_page_without_graphs_has_no_link(text, tmp_path):
    assert "by choice</a>: " in text
    plain_page = page.render(Results.begin({}), MECHANISMS, {}, ROOT, BUILD)
    assert "by choice</a>: " not in plain_page
    document = opened(plain_page, tmp_path, ADDRESS)
    assert '<main id="explorer" hidden' in document
