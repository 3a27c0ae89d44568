"""TLC's own printing of values, in a dump and in a trace, against their Python forms."""

from wheelproof.tlc.dot import Node, TlcGraph, read_dot
from wheelproof.tlc.result import Outcome
from wheelproof.tlc.values import Function, ModelValue, format_tla

LONG = "a string that is long enough to be wrapped by TLC, with /\\ x = 1 in it"
THING = ModelValue("Thing")

GIVEN = (
    True,
    -7,
    "plain",
    'q"u\\o\t\nte\\',
    "",
    LONG,
    frozenset({"b", "a"}),
    (),
    ((), (1,)),
    frozenset(),
    Function({0: "a", 1: "b"}),
    Function({"a": 1, "b": frozenset({1})}),
    Function({"IF": 1, "a b": 2}),
    Function({"only": Function({"once": ("x", -1)})}),
    frozenset({(1, "x"), (1, "y")}),
    Function({(1,): frozenset({frozenset()})}),
    tuple(range(60)),
    Function({f"field{i}": LONG for i in range(5)}),
    Function({False: 1}),
    Function({2: 3}),
)
"""Values that a config gives to TLC."""

OWN = (
    True,
    False,
    -3,
    0,
    2147483647,
    "plain",
    "",
    '"quoted"',
    "back\\slash",
    "ends\\",
    "tab\t, line\n/\\ end",
    "(* , *) } @@ |-> :> ]",
    "/\\ x = 1",
    frozenset(),
    frozenset({1, 2, 3}),
    frozenset({1, 2, 3}),
    frozenset(),
    frozenset({5}),
    frozenset({frozenset({1, 2}), frozenset()}),
    frozenset({frozenset(), frozenset({1}), frozenset({2}), frozenset({1, 2})}),
    frozenset({(1, 2), (1, 3)}),
    (),
    (1, (2,)),
    ("a", "b"),
    (1, 2),
    (),
    Function({0: "a", 1: "b"}),
    Function({-1: 1, 2: -2}),
    Function({True: False}),
    Function({frozenset({1}): 2}),
    Function({(1, 2): frozenset({()}), (1, 3): frozenset({frozenset()})}),
    Function({"a": 1}),
    Function({"a": Function({"b": (1, 2)}), "c": frozenset({"x", "y"})}),
    Function({"a": "a", "b": "b"}),
    Function({"IF": 0, "1a": 0, "_b": 0}),
    Function({"": "", "a b": "a b", "12": "12"}),
    THING,
    frozenset({THING}),
    Function({THING: THING}),
    Function(
        {"first": LONG, "second": (LONG, LONG), "third": Function({0: LONG, 1: frozenset({LONG})})}
    ),
    tuple((i, frozenset({i})) for i in range(1, 41)),
)
"""The values that the module Values writes itself, in its order."""


def texts(values):
    return [format_tla(value) for value in values]


def test_every_value_is_read_from_trace_and_graph_as_it_is(check, tmp_path):
    expected = texts(GIVEN + OWN)
    dump = tmp_path / "values.dot"
    result = check("Values", constants={"Given": GIVEN, "Thing": THING}, run={"dump": dump})
    # The last value has no successor, so that the deadlock's trace shows them all.
    assert result.outcome is Outcome.VIOLATED and result.property == "NoDeadlock"
    assert texts(state.variables["shown"] for state in result.trace)[1:] == expected
    graph = TlcGraph.read(dump)
    states = sorted(
        (graph.state(i) for i in range(len(graph.states))), key=lambda state: state["turn"]
    )
    assert texts(state["shown"] for state in states)[1:] == expected
    wrapped = [
        item
        for item in read_dot(dump)
        if isinstance(item, Node) and "\n  " in item.variables()["shown"]
    ]
    assert len(wrapped) >= 4, "no value was long enough for TLC to wrap it"
