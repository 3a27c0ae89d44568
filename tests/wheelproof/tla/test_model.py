"""The compiled model's graph is TLC's, edge by edge, and its properties hold where TLC's do."""

import shutil
from pathlib import Path

import pytest

from tests.wheelproof.tla.conftest import SPECS
from wheelproof.choices import choice_of
from wheelproof.graph import reduced, same
from wheelproof.graph.compare import compare
from wheelproof.graph.explorer import StateGraph, explore, first_violation
from wheelproof.graph.liveness import violation
from wheelproof.protocols import Model, ModelInPlace
from wheelproof.tla import export
from wheelproof.tla.model import Compiled
from wheelproof.tlc import mc, process
from wheelproof.tlc.dot import TlcGraph
from wheelproof.tlc.result import Outcome

CHOICES = {"Workers": frozenset({"v", "w"}), "Boxes": frozenset({"x", "y"}), "NULL": "null"}
THREADS = ("w", "watcher", "v")
INVARIANTS = {"TypeOK": True, "Small": False, "Quiet": False, "OneEach": False}


@pytest.fixture(scope="module")
def compiled():
    return Compiled(export.load(SPECS / "Choices.tla"))


@pytest.fixture(scope="module")
def graph(compiled):
    return explore(compiled.model(CHOICES, THREADS))


@pytest.fixture(scope="module")
def tlc(tmp_path_factory):
    """A function: module, constants -> TLC's result and graph."""

    def run(module: Path, **config):
        folder = tmp_path_factory.mktemp("tlc")
        config = {"constants": CHOICES, "deadlock_check": False} | config
        files = mc.generate(mc.McConfig(f"MC{module.stem}", module, "a test", **config), folder)
        dump = None if config.get("invariants") else folder / "states.dot"
        result = process.run(
            files.module,
            timeout=300,
            config=files.config,
            dump=dump,
            deadlock_check=config["deadlock_check"],
            shared=True,
        )
        return result, TlcGraph.read(dump) if dump else None

    return run


def test_the_graph_is_tlcs_edge_by_edge(graph, tlc):
    result, theirs = tlc(SPECS / "Choices.tla")
    assert result.outcome is Outcome.COMPLETED, result.explanation
    found = compare(theirs, graph)
    assert found.equal, found.difference
    assert (result.generated, result.distinct, result.depth) == (
        graph.generated,
        graph.distinct,
        graph.depth,
    )
    assert graph.distinct > 100 and graph.labels == {"W0", "W1", "W2", "W3", "V0"}


def test_the_properties_hold_where_tlcs_do(graph, tlc):
    for name, holds in INVARIANTS.items():
        assert (first_violation(graph, name) is None) is holds, name
    kept = tuple(name for name, holds in INVARIANTS.items() if holds)
    assert tlc(SPECS / "Choices.tla", invariants=kept)[0].outcome is Outcome.COMPLETED
    result, _ = tlc(SPECS / "Choices.tla", invariants=("Small",))
    assert result.property == "Small"
    assert len(result.trace) == graph.levels[first_violation(graph, "Small")]


def test_a_liveness_property_is_its_goal(graph):
    assert violation(graph, "Ends") is None and violation(graph, "Ends", []) is not None


def test_a_variable_of_some_threads_only_is_shared(graph):
    model = graph.model
    assert model.process_variables == ("pc",)
    assert model.variables == ("box", "log", "total", "mine", "tries", "seen")
    assert model.LOCAL == model.AUXILIARY == {"mine", "tries", "seen"}
    assert model.OF_PROCESSES >= {"OneEach", "Quiet"} and "Small" not in model.OF_PROCESSES


def test_the_model_is_one_as_the_tool_asks_for_it(graph):
    model = graph.model
    assert isinstance(model, Model) and isinstance(model, ModelInPlace)
    state = graph.states[-1]
    model.load(state)
    assert model.freeze() == state and model.processes[0].pc == state[1][0][0]
    before, label, after = next(
        (graph.states[number], label, graph.states[target])
        for number, row in enumerate(graph.edges)
        for thread, label, target in row
        if thread == 0 and not choice_of(label)
    )
    model.load(before)
    assert model.step(0) == label and model.freeze() == after
    model.load(model.initial())
    with pytest.raises(ValueError, match="W0 chooses, and a state in place has one successor"):
        model.step(0)
    assert model.step(1) is None and model.freeze() == model.initial()


def test_each_successor_of_a_step_has_a_choice_of_its_own(graph):
    """W0 chooses a box, and other steps a branch."""
    first = reduced.rows(graph)[0]
    assert set(first) >= {(0, ("x",)), (0, ("y",)), (2, ("x",)), (2, ("y",))}
    labels = {label for row in graph.edges for _, label, _ in row if choice_of(label)}
    assert labels >= {"W0"} and labels != graph.labels


def test_pieces_are_as_a_harness_writes_them(graph):
    model = graph.model
    pieces = dict(zip((*model.variables, *model.process_variables), model.pieces(model.initial())))
    assert pieces["box"] == ((), ()) and pieces["seen"] == (frozenset(),)
    assert pieces["total"] == (0, None), "a record's fields stand as the module writes them first"
    assert pieces["mine"] == (None, None) and pieces["pc"] == ("W0", "V0", "W0")
    assert model.tla("mine", pieces["mine"]) == {"v": "null", "w": "null"}


CHANGES = {
    "an action dropped": (
        "worker(self) == W0(self) \\/ W1(self) \\/ W2(self) \\/ W3(self)",
        "worker(self) == W0(self) \\/ W1(self) \\/ W3(self)",
        "the module alone has the step W2 of v with total",
    ),
    "a guard weakened": (
        "/\\ total.count > 0",
        "/\\ total.count >= 0",
        "the changed module alone has the step W1 of w with tries",
    ),
    "a variable left as it was": (
        "/\\ tries' = [tries EXCEPT ![self] = tries[self] + 1]",
        "/\\ tries' = tries",
        "the module alone has the step W1 of v with tries",
    ),
    "a variable changed that stays": (
        "/\\ UNCHANGED << total, mine, tries, seen >>",
        "/\\ UNCHANGED << total, mine, tries >> /\\ seen' = {self}",
        "the module alone has the step W3 of w with box",
    ),
    "the value of another": (
        "/\\ box' = [box EXCEPT ![b] = Append(box[b], self)]",
        '/\\ box\' = [box EXCEPT ![b] = Append(box[b], "v")]',
        "the module alone has the step W0 of w with box",
    ),
    "another initial value": (
        "/\\ total = [count |-> 0, last |-> NULL]",
        "/\\ total = [count |-> 1, last |-> NULL]",
        "the initial states differ: total",
    ),
    "an end too early": (
        '\\A self \\in ProcSet: pc[self] = "Done"\n               /\\ UNCHANGED vars',
        '\\A self \\in Workers: pc[self] = "Done" /\\ self = self /\\ FALSE\n'
        "               /\\ UNCHANGED vars",
        "the module alone has ended in state",
    ),
}


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """change -> the graph of the module with it."""
    files = {}
    text = (SPECS / "Choices.tla").read_text()
    for number, (name, (old, new, _)) in enumerate(CHANGES.items()):
        assert text.count(old) == 1, name
        folder = tmp_path_factory.mktemp(f"change{number}")
        files[name] = Path(shutil.copy(SPECS / "Choices.tla", folder))
        files[name].write_text(text.replace(old, new))
    export.prepare(map(export.source, files.values()))
    return {
        name: explore(Compiled(export.load(file)).model(CHOICES, THREADS))
        for name, file in files.items()
    }


@pytest.mark.parametrize("name", CHANGES)
def test_a_planted_change_is_a_difference_by_name(name, graph: StateGraph, changed):
    found = same.difference(graph, changed[name], ("the module", "the changed module"))
    assert CHANGES[name][2] in found, found


def test_equal_graphs_have_no_difference(graph, compiled):
    other = explore(compiled.model(CHOICES, THREADS))
    assert same.difference(graph, other, ("one", "other")) == ""
