"""The model of TimingWheel: its arithmetic, a single thread, and total properties that can fail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.pluscal import DONE, FREE, Monitor
from model.timing_wheel import Model
from tests.model.timing_wheel import MECHANISM, levels_for, model_graph, scenario
from wheelproof.graph.explorer import explore

# -- a thread alone


def adds(of, rest):
    """The scenario with one thread, which adds every entry and then does the rest."""
    return dict(of) | {"threads": {"a": [*(["add", entry] for entry in of["deadline"]), *rest]}}


def run(of, choose=min):
    """The model after all threads have ended, its invariants true at each step.

    ``choose``: picks the thread that moves, from the indices of those that can.
    """
    machine = Model(of)
    while moves := {thread: state for thread, _, state in machine.successors(machine.freeze())}:
        machine.load(moves[choose(moves)])
        assert not [name for name in Model.INVARIANTS if not getattr(machine, name)()]
    assert all(process.pc == DONE for process in machine.processes)
    return machine


def meant(of):
    """The results of an expirer after all are added: the due entries, deadlines, last time.

    The due entries come at once, then the others in the order of their deadlines.
    """
    deadline, start = of["deadline"], of["start"]
    waiting = [entry for entry in deadline if deadline[entry] > start]
    over = [entry for entry in deadline if entry not in waiting]
    return {*over}, sorted(deadline[entry] for entry in waiting), max([start, *deadline.values()])


@st.composite
def wheels(draw):
    size, start = draw(st.integers(2, 4)), draw(st.integers(0, 9))
    due = draw(st.lists(st.integers(0, start + size**3), min_size=1, max_size=4))
    return scenario(size, start, {f"e{i}": deadline for i, deadline in enumerate(due)})


@given(wheels())
def test_who_expires_alone_hands_everything_over_in_time(of):
    at_once, later, end = meant(of)
    machine = run(adds(of, [["expire"]]))
    assert {*machine.handed[: len(at_once)]} == at_once
    assert [of["deadline"][entry] for entry in machine.handed[len(at_once) :]] == later
    assert machine.current[1] == end and not machine.queue and not machine.task_counter
    assert all(
        machine.current[level] == machine.trim(end, level) for level in range(1, machine.made + 1)
    )
    assert all(
        machine.key[bucket] == -1
        and machine.monitor[bucket] == FREE
        and not machine.content[bucket]
        for bucket in machine.buckets
    )
    assert machine.EveryTimerFires()


@given(wheels())
def test_who_withdraws_alone_gets_everything_and_the_clock_stands(of):
    machine = run(adds(of, [["withdraw"]]))
    assert {*machine.handed} == {*of["deadline"]} and len(machine.handed) == len(of["deadline"])
    assert machine.current[1] == of["start"] and not machine.queue and machine.EveryTimerFires()


@given(wheels())
def test_a_level_is_made_for_who_needs_it_and_starts_where_the_one_below_is(of):
    machine = run(adds(of, []))
    needed = [
        levels_for(of["wheel_size"], of["start"], [deadline])
        for deadline in of["deadline"].values()
    ]
    assert machine.made == max(needed)
    assert [machine.current[level] for level in range(1, machine.made + 1)] == [
        machine.trim(of["start"], level) for level in range(1, machine.made + 1)
    ]
    assert all(
        machine.current[level] == -1 for level in range(machine.made + 1, machine.levels + 1)
    )


@given(st.data(), wheels())
def test_whoever_comes_first_everything_is_handed_over_once(data, of):
    """Adders of one entry each, and an expirer, in any order."""
    threads = {entry: [["add", entry]] for entry in of["deadline"]} | {"reaper": [["expire"]]}
    machine = run(
        dict(of) | {"threads": threads},
        choose=lambda moves: data.draw(st.sampled_from(sorted(moves))),
    )
    assert {*machine.handed} == {*of["deadline"]} and machine.EveryTimerFires()


def left(of, decision=""):
    """The state after a program's end, or after so many steps that it has none."""
    machine = MECHANISM.without(decision).model_of(of)
    for _ in range(400):
        if not machine.step(0):
            break
    functions = [
        [function[index] for index in indices]
        for function, indices in ((machine.key, machine.buckets), (machine.current, machine.tick))
    ]
    return machine.handed, machine.made, machine.queue, machine.processes[0].pc, functions


@pytest.mark.parametrize("decision", MECHANISM.decisions)
def test_what_a_decision_changes_for_a_thread_alone(decision):
    """The others matter between threads only."""
    alone = {"M12", "M17_late", "M17_turn", "M18", "WrongSlot", "SaysNo"}
    programs = [
        adds(scenario(3, start, deadline), [["expire"]])
        for start, deadline in (
            (0, {"far": 6, "near": 3}),
            (2, {"turn": 5}),
            (2, {"far": 17, "middle": 8, "near": 4}),
            (0, {"one": 1, "same": 1}),
        )
    ]
    differs = [left(of, decision) != left(of) for of in programs]
    assert any(differs) == (decision in alone), differs


# -- properties

SCENARIO = scenario(3, deadline={"far": 6, "near": 1}, a=[["add", "far"]], reaper=[["expire"]])


def corrupted(of=SCENARIO, process=None, **places):
    """The model with places such as ``key__4`` set, and with variables of its first process."""
    machine = Model(of)
    for place, value in places.items():
        variable, _, index = place.partition("__")
        if index:
            getattr(machine, variable)[int(index)] = value
        else:
            setattr(machine, variable, value)
    vars(machine.processes[0]).update(process or {})
    return machine


def links(ke, level, bucket, **more):
    """The first process is about to link."""
    return {"pc": "W2", "ke": ke, "level": level, "bucket": bucket} | more


TWO = {"made": 2, "current__2": 0}
BROKEN = {
    "TypeOK": [
        {"made": 3},
        {"current__2": 0},
        {"key__1": -2},
        {"content__1": ("unknown",)},
        {"monitor__1": Monitor("a", 0)},
        {"queue": (7,)},
        {"readers": frozenset({"x"})},
        {"writer": "x"},
        {"adding": -1},
        {"handed": ("far", "near", "far")},
        {"process": {"level": 3}},
        {"process": {"polled": 7}},
    ],
    "SlotInRange": [
        {"process": links("far", 2, 6)},
        {"process": links("far", 2, 5), **TWO},
        {"process": links("near", 1, 3)},
    ],
    "NotCurrentSlot": [
        {"process": links("near", 1, 1)},
        {"process": links("near", 1, 2), "current__1": 1},
        {"process": links("far", 2, 4), **TWO},
    ],
    "OneKeyPerSlot": [{"content__1": ("far", "near")}, {"content__5": ("far", "near")}],
    "KeyWindow": [
        {"process": links("near", 1, 2), "current__1": 1},
        {"process": links("far", 1, 1)},
        {"process": links("far", 2, 6), "made": 2, "current__2": 6},
    ],
    "DemotionDescends": [
        {"process": links("near", 1, 2, polled=1)},
        {"process": links("far", 2, 6, polled=4), **TWO},
    ],
    "LevelBound": [
        {"process": links("far", 1, 1)},
        {"process": links("near", 2, 4), "current__1": 1, **TWO},
    ],
    "QueuedOnceWithItsKey": [
        {"rekeyed": frozenset({1})},
        {"queue": (1, 1)},
        {"content__2": ("near",)},
        {"content__2": ("near",), "process": {"polled": 2, "pc": "P1"}},
    ],
    "KeyBeforeDeadline": [
        {"content__2": ("near",), "queue": (2,), "key__2": 2},
        {"content__2": ("far", "near"), "queue": (2,), "key__2": 2},
    ],
    "NotEarly": [{"early": frozenset({"near"})}],
    "FiredOnce": [{"handed": ("near", "near")}],
}
EXCUSED = {
    "TypeOK": [
        {
            "writer": "a",
            "readers": frozenset({"reaper"}),
            "queue": (6, 6),
            "handed": ("near", "near"),
        }
    ],
    "SlotInRange": [
        {"process": links("far", 2, 6), **TWO},
        {"process": links("far", 2, 6, pc="A11")},
    ],
    "NotCurrentSlot": [
        {"process": links("near", 1, 1, pc="W3")},
        {"process": links("near", 1, 2), "current__1": 0},
    ],
    "OneKeyPerSlot": [{"content__1": ("near", "near")}, {"content__5": ("far", "far")}],
    "KeyWindow": [{"process": links("near", 1, 2)}, {"process": links("far", 2, 6), **TWO}],
    "DemotionDescends": [
        {"process": links("near", 1, 2)},
        {"process": links("near", 1, 2, polled=4)},
    ],
    "LevelBound": [
        {"process": links("far", 2, 6), **TWO},
        {"process": links("far", 1, 1), "current__1": 4},
    ],
    "QueuedOnceWithItsKey": [
        {"content__2": ("near",), "queue": (2,)},
        {"content__2": ("near",), "process": {"polled": 2, "pc": "F2"}},
        {"content__2": ("near",), "process": {"bucket": 2, "pc": "W4"}},
    ],
    "KeyBeforeDeadline": [
        {"content__2": ("near",), "queue": (2,), "key__2": 1},
        {"content__2": ("near",), "key__2": 2},
        {"content__2": ("near",), "queue": (2,), "key__2": 2, "process": {"bucket": 2, "pc": "W3"}},
    ],
    "NotEarly": [{"rekeyed": frozenset({1})}],
    "FiredOnce": [{"handed": ("near", "far")}],
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_invariant_holds_at_first_and_can_be_false(name):
    machine = Model(SCENARIO)
    assert machine.holds(name, machine.initial())
    for places in BROKEN[name]:
        assert not getattr(corrupted(**places), name)(), places
    for places in EXCUSED[name]:
        assert getattr(corrupted(**places), name)(), places


def test_every_invariant_has_such_a_state():
    of_states = {name for name, of in MECHANISM.properties.items() if of.kind == "invariant"}
    assert (
        set(BROKEN)
        == set(EXCUSED)
        == of_states
        == set(Model.INVARIANTS)
        == set(MECHANISM.invariants)
    )


@given(st.data())
def test_every_property_is_total(data):
    draw, machine = data.draw, Model(SCENARIO)
    entries, buckets, people = (
        st.sampled_from(["far", "near"]),
        st.integers(1, 6),
        st.sampled_from(["a", "reaper", None]),
    )
    machine.made, machine.queue = (
        draw(st.integers(1, 2)),
        tuple(draw(st.lists(buckets, max_size=4))),
    )
    machine.adding, machine.task_counter = draw(st.integers(-1, 2)), draw(st.integers(-1, 2))
    machine.handed = tuple(draw(st.lists(entries, max_size=4)))
    machine.writer, machine.readers = draw(people), draw(st.frozensets(people))
    machine.rekeyed, machine.early = draw(st.frozensets(buckets)), draw(st.frozensets(entries))
    for level in 1, 2:
        machine.current[level] = draw(st.integers(-1, 9))
    for bucket in machine.buckets:
        machine.key[bucket], machine.content[bucket] = (
            draw(st.integers(-1, 9)),
            tuple(draw(st.lists(entries, max_size=2))),
        )
        machine.monitor[bucket] = draw(st.builds(Monitor, people, st.integers(-1, 2)))
    for process in machine.processes:
        process.pc, process.ke, process.level = (
            draw(st.sampled_from(["W2", "A1", "W5", "F2", "P1", "Q1", DONE])),
            draw(entries),
            draw(st.integers(1, 2)),
        )
        process.bucket, process.polled, process.taken = (
            draw(buckets),
            draw(st.integers(0, 6)),
            draw(st.integers(0, 6)),
        )
    for name in (*Model.INVARIANTS, *Model.WITNESSES, "EveryTimerFires"):
        assert getattr(machine, name)() in (True, False), name


@pytest.mark.parametrize(
    "name, within, without",
    [
        ("GoesDownTwice", "cascade", "two_adders"),
        ("AddsBesideFlush", "two_withdrawn", "a_turn"),
        ("TwoWantTheLevel", "two_adders", "cascade"),
    ],
)
def test_a_witness_is_reached_where_its_scenario_is(name, within, without):
    graph, other = model_graph(within), model_graph(without)
    reached = [graph.model.holds(name, state) for state in graph.states]
    assert any(reached) and not all(reached) and not reached[0]
    assert not any(other.model.holds(name, state) for state in other.states)


def test_every_witness_has_its_scenario():
    assert set(Model.WITNESSES) == {"GoesDownTwice", "AddsBesideFlush", "TwoWantTheLevel"}


# -- what a decision taken away breaks


def violated(name, decision=""):
    """The invariants that fail somewhere without a decision."""
    graph = explore(MECHANISM.without(decision).model(name), bound=50_000)
    return {
        prop
        for prop in Model.INVARIANTS
        if not all(graph.model.holds(prop, state) for state in graph.states)
    }


@pytest.mark.parametrize(
    "decision, within, broken",
    [
        ("M11", "withdrawn", {"QueuedOnceWithItsKey"}),
        ("M12", "withdrawn", {"QueuedOnceWithItsKey"}),
        ("ResetLate", "two_withdrawn", {"QueuedOnceWithItsKey"}),
        ("M17_turn", "a_turn", {"NotCurrentSlot", "KeyWindow", "LevelBound"}),
        ("SaysNo", "two_withdrawn", {"TypeOK", "NotEarly", "FiredOnce"}),
    ],
)
def test_a_decision_is_what_keeps_these(decision, within, broken):
    assert violated(within, decision) == broken
    assert not violated(within)


def test_behind_a_clock_that_moves_the_key_need_not_be_reset():
    """A reaper that sets the clock to a bucket's key before the flush hides this decision."""
    assert not violated("a_turn", "M12") and not violated("cascade", "M12")
