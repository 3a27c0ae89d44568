from collections import Counter

import pytest

from wheelproof.tlc.dot import DotError, Edge, Move, Node, TlcGraph, UncertainStep, read_dot
from wheelproof.tlc.result import Outcome

HEAD = 'strict digraph DiskGraph {\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor="white";\n'
TAIL = "{rank = same; 1;}\n}\n}"


def state(name, text, initial=False):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'{name} [label="{escaped}"' + (",style = filled]\n" if initial else "];\n")


def edge(source, label, target):
    return f'{source} -> {target} [label="{label}",color="black",fontcolor="black"];\n'


def pc(**labels):
    return (
        "/\\ pc = ["
        + ", ".join(f'{p} |-> "{label}"' for p, label in labels.items())
        + "]\n/\\ x = 0"
    )


@pytest.fixture
def graph(tmp_path):
    """Reads a graph from the lines of its states and edges."""

    def graph(*lines, head=HEAD, tail=TAIL):
        path = tmp_path / "graph.dot"
        path.write_text(head + "".join(lines) + tail)
        return TlcGraph.read(path)

    return graph


def test_real_graph_of_a_pluscal_spec(check, shared, tmp_path):
    dump = tmp_path / "relay.dot"
    result = check(
        "Relay",
        constants={"Runners": {"a", "b"}, "Laps": 1},
        invariants=("OneBaton",),
        run={"dump": dump} | shared,
    )
    assert result.outcome is Outcome.COMPLETED, result.explanation
    graph = TlcGraph.read(dump)
    assert len(graph.states) == result.distinct
    assert len(graph.sources) + len(graph.initial) == result.generated
    assert set(graph.variables) == {"baton", "done", "pc", "stack", "lap", "k"}
    moves = list(graph.moves())
    assert {move.label for move in moves} == {"P1", "R1", "R2", "Terminating"}
    assert [move.process for move in moves if move.label == "Terminating"] == [None]
    for move in moves:
        if move.process is not None:
            before, after = graph.state(move.source), graph.state(move.target)
            assert before["pc"][move.process] == move.label
            others = set(before["pc"]) - {move.process}
            assert all(
                before[name][other] == after[name][other]
                for name in ("pc", "k", "stack")
                for other in others
            )
    by_process = Counter(move.process for move in moves)
    assert by_process["a"] == by_process["b"] > 0


def test_real_graph_of_a_spec_with_one_variable(check, shared, tmp_path):
    dump = tmp_path / "stair.dot"
    check(
        "Stair", constants={"Top": 3, "Trip": 99}, specification="Loop", run={"dump": dump} | shared
    )
    graph = TlcGraph.read(dump)
    assert [graph.state(index) for index in range(4)] == [
        {"step": 0},
        {"step": 1},
        {"step": 2},
        {"step": 3},
    ]
    assert list(graph.edges()) == [(0, "Up", 1), (1, "Up", 2), (2, "Up", 3), (3, "Down", 1)]
    assert graph.initial == [0]


def test_records_keep_duplicates_self_loops_and_order(tmp_path):
    path = tmp_path / "graph.dot"
    edges = [edge(1, "A", -2), edge(1, "A", -2), edge(-2, "B", -2)]
    path.write_text(
        HEAD
        + state(1, "x = 0", initial=True)
        + edges[0]
        + state(-2, "x = 1")
        + edges[1]
        + edges[2]
        + TAIL
    )
    assert list(read_dot(path)) == [
        Node(b"1", b"x = 0", True),
        Edge(b"1", "A", b"-2"),
        Node(b"-2", b"x = 1", False),
        Edge(b"1", "A", b"-2"),
        Edge(b"-2", "B", b"-2"),
    ]
    assert list(TlcGraph.read(path).edges()) == [(0, "A", 1), (0, "A", 1), (1, "B", 1)]


def test_wrapped_values_and_escapes(graph):
    text = '/\\ x = << 1,\n   "a\\\\n/\\\\ y = \\"" >>\n/\\ y = {}'
    read = graph(state(1, text, initial=True))
    assert read.state(0) == {"x": (1, 'a\\n/\\ y = "'), "y": frozenset()}


def test_values_are_one_however_they_were_printed(graph):
    lines = [
        state(1, "/\\ x = 1..2\n/\\ y = 1", initial=True),
        state(2, "/\\ x = {1, 2}\n/\\ y = TRUE"),
    ]
    read = graph(*lines)
    (x1, y1), (x2, y2) = read.states
    assert x1 == x2 and y1 != y2
    assert read.texts[y1] == "1" and read.texts[y2] == "TRUE"
    with pytest.raises(DotError, match="one state twice"):
        graph(lines[0], state(2, "/\\ x = {1, 2}\n/\\ y = 1"))


def test_process_is_read_from_the_change_of_pc(graph):
    read = graph(
        state(1, pc(a="A1", b="B1"), initial=True),
        state(2, pc(a="A2", b="B1")),
        state(3, pc(a="A1", b="B2")),
        state(4, pc(a="Done", b="Done")),
        edge(1, "A1", 2),
        edge(1, "B1", 3),
        edge(1, "B1", 1),
        edge(4, "Terminating", 4),
    )
    assert list(read.moves()) == [
        Move("a", "A1", 0, 1),
        Move("b", "B1", 0, 2),
        Move("b", "B1", 0, 0),
        Move(None, "Terminating", 3, 3),
    ]


def test_processes_that_are_one_to_n(graph):
    read = graph(
        state(1, '/\\ pc = <<"A", "A">>\n/\\ x = 0', initial=True),
        state(2, '/\\ pc = <<"A", "B">>\n/\\ x = 0'),
        edge(1, "A", 2),
    )
    assert [move.process for move in read.moves()] == [2]


@pytest.mark.parametrize(
    ("target", "label"),
    [
        (pc(a="A1", b="A1"), "A1"),  # a loop at a label where both stand
        (pc(a="A1", b="A1"), "A9"),  # no process stands there
        (pc(a="A2", b="A2"), "A1"),  # both move
        (pc(a="A2", b="A1"), "Next"),  # a step without a label of its own
        (pc(a="A2", b="A1"), "Terminating"),
    ],
)
def test_process_that_is_not_certain_is_an_error(target, label, graph):
    source = pc(a="A1", b="A1")
    lines = [state(1, source, initial=True)]
    if target != source:
        lines.append(state(2, target))
    read = graph(*lines, edge(1, label, len(lines)))
    with pytest.raises(UncertainStep, match=f"step {label} from pc = .* is not certain"):
        list(read.moves())


def test_spec_without_processes(graph):
    with pytest.raises(DotError, match="no variable pc"):
        list(graph(state(1, "x = 0", initial=True), edge(1, "A", 1)).moves())
    with pytest.raises(DotError, match='pc = "A" is no function'):
        list(graph(state(1, 'pc = "A"', initial=True), edge(1, "A", 1)).moves())


def test_graph_that_is_cut_off_is_refused_wherever(graph, tmp_path):
    lines = [state(1, "x = 0", initial=True), edge(1, "A", 2), state(2, "x = 1")]
    assert len(graph(*lines).states) == 2
    whole = (tmp_path / "graph.dot").read_text()
    for length in range(len(whole) - 2):
        with pytest.raises(DotError):
            graph(head=whole[:length], tail="")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([state(1, "x = 0", True), "1 -> 1 [label=A];\n"], "Line 6 .* has not the form"),
        (
            [state(1, "x = 0", True), state(2, "x = 1"), '1 -> 2 [style="dashed"];\n'],
            "Line 7 .* has not the form",
        ),
        ([state(1, "x = 0", True), '1 [label="x = 0",shape=box];\n'], "has not the form"),
        ([state(1, "x = 0", True), '2 [label="x = 1",tooltip="x = 1"];\n'], "has not the form"),
        ([state(1, "x = 0", True), "something else\n"], "has not the form"),
        ([state(1, "x = 0", True), state(1, "x = 1")], "Two states .* fingerprint 1"),
        ([state(1, "x = 0", True), state(2, "y = 0")], "has the variables y"),
        ([state(1, "x = 0", True), edge(1, "A", 2)], "lacks"),
        ([state(1, "x = 0")], "lacks"),
    ],
)
def test_graph_that_contradicts_itself_is_refused(lines, message, graph):
    with pytest.raises(DotError, match=message):
        graph(*lines)
