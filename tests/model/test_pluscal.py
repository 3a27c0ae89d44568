"""The machine keeps PlusCal's rules: compared with TLC on a small algorithm, then rule by rule."""

from pathlib import Path

import pytest

from model.pluscal import BLOCKED, DONE, FREE, Machine, Monitor, Procedure, Scalar
from tests.model.timer import MECHANISM, model_graph
from wheelproof.graph.compare import compare
from wheelproof.graph.explorer import explore
from wheelproof.tlc import mc, process
from wheelproof.tlc.dot import TlcGraph

SPEC = Path(__file__).parent / "specs" / "Calls.tla"


class Calls(Machine):
    """The model of specs/Calls.tla."""

    PROCEDURES = {
        "leaf": Procedure("L1", ("z",)),
        "tail": Procedure("Y1", ("y",), (("kept", 7),)),
        "middle": Procedure("M1", ("x",), (("n", 5),)),
        "down": Procedure("D1", ("m",), (("v", 3),)),
        "spare": Procedure("S1", ("w",), defaults=(("w", 8),)),
    }
    total = Scalar("total")

    def __init__(self):
        super().__init__(("a", "b"), {}, start="P1")
        self.scalar("total", 0)
        self.gate = self.function("gate", {"g": FREE, "h": FREE})
        self.begin()

    def P1(self, t):
        if not self.acquire(self.gate, "h"):
            return BLOCKED
        t.pc = "P2"

    def P2(self, t):
        self.call(t, "middle", 1, back="P3")

    def P3(self, t):
        self.release(self.gate, "h")
        t.pc = "P4"

    def P4(self, t):
        self.call(t, "tail", 2, back="P5")

    def P5(self, t):
        self.call(t, "leaf", 0, back="Q1")

    def Q1(self, t):
        self.call(t, "spare", 3, back="P6")

    def P6(self, t):
        self.call(t, "down", 2, back=DONE)

    def D1(self, t):
        t.v += t.m
        t.pc = "D2"

    def D2(self, t):
        if t.m > 0:
            self.call(t, "down", t.m - 1)
        else:
            t.pc = "D3"

    def D3(self, t):
        self.leave(t)

    def M1(self, t):
        t.n = t.x
        self.call(t, "leaf", t.x, back="M2")

    def M2(self, t):
        self.call(t, "tail", t.n, back="M3")

    def M3(self, t):
        t.n = 9
        t.pc = "M4"

    def M4(self, t):
        self.call(t, "tail", t.n)

    def Y1(self, t):
        t.kept = t.y
        t.pc = "Y2"

    def Y2(self, t):
        self.call(t, "leaf", t.y + 1)

    def S1(self, t):
        self.total += t.w
        t.pc = "S2"

    def S2(self, t):
        if t.w > 2:
            self.call(t, "spare", t.w - 1, back="S4")
        else:
            t.pc = "S3"

    def S4(self, t):
        self.total += t.w
        t.pc = "S3"

    def S3(self, t):
        self.leave(t)

    def L1(self, t):
        self.total += t.z
        self.leave(t)


class RestoringTailCall(Calls):
    """Not PlusCal's tail call: the caller's parameters come back at once."""

    def call(self, process, name, *arguments, back=None):
        if back is None:
            self.leave(process)
            back = process.pc
        super().call(process, name, *arguments, back=back)


class StaleTailCall(Calls):
    """A tail call that keeps the caller's local variables, as PlusCal keeps its parameters."""

    def call(self, process, name, *arguments, back=None):
        stale = {v: vars(process)[v] for v in ("kept", "n") if back is None and name != "down"}
        super().call(process, name, *arguments, back=back)
        vars(process).update(
            (v, value)
            for v, value in stale.items()
            if v not in dict(self.PROCEDURES[name].variables)
        )


class ForgetfulReturn(Calls):
    """A return that does not restore what the procedure's variables were before the call."""

    def leave(self, process):
        process.pc, process.stack = process.stack[0].pc, process.stack[1:]


class LeakyMonitor(Calls):
    """A monitor that is free after one of two releases."""

    def acquire(self, monitors, name):
        return super().acquire(monitors, name) and (
            monitors.__setitem__(name, Monitor(self.me, 2)) or True
        )


class NoDefault(Calls):
    """A parameter that is NULL before the first call, whatever the procedure says."""

    PROCEDURES = Calls.PROCEDURES | {"spare": Procedure("S1", ("w",))}


class DefaultAgain(Calls):
    """A return to the default instead of to what the parameter was before the call."""

    def leave(self, process):
        procedure = self.PROCEDURES[process.stack[0].procedure]
        super().leave(process)
        vars(process).update(procedure.defaults)


@pytest.fixture(scope="module")
def tlc(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calls")
    files = mc.generate(mc.McConfig("MCCalls", SPEC, "a test"), folder)
    result = process.run(files.module, timeout=300, dump=folder / "states.dot", shared=True)
    assert result.outcome == "completed", result.explanation
    return TlcGraph.read(folder / "states.dot")


def test_calls_returns_and_tail_calls_are_those_of_pluscal(tlc):
    found = compare(tlc, explore(Calls()))
    assert found.equal, found.difference
    assert explore(Calls()).labels == Calls().labels == set(tlc.labels) - {"Terminating"}


@pytest.mark.parametrize(
    "wrong",
    [RestoringTailCall, StaleTailCall, ForgetfulReturn, LeakyMonitor, NoDefault, DefaultAgain],
)
def test_another_rule_is_noticed(tlc, wrong):
    assert not compare(tlc, explore(wrong())).equal


def alone(machine, until):
    """Step the first process in place until it stands at a label."""
    process = machine.processes[0]
    while process.pc != until:
        assert machine.step(0)
    return process


def test_a_return_restores_parameters_and_variables():
    machine = Calls()
    process = alone(machine, "M2")  # middle has called leaf, which has returned
    assert (process.x, process.n, process.z) == (1, 1, None)
    process.x = process.n = 99
    machine.leave(process)
    assert (process.pc, process.x, process.n, process.z, process.stack) == ("P3", None, 5, None, ())


def test_a_tail_call_restores_its_callers_variables_and_leaves_the_parameters_stale():
    machine = Calls()
    process = alone(machine, "P3")
    assert (process.x, process.n) == (1, 5), "of middle, whose frame tail has taken"
    assert (process.y, process.kept) == (9, 7), "of tail, whose frame leaf has taken"
    process = alone(machine, "P5")
    assert (process.y, process.kept, process.z) == (2, 7, None)


def test_a_tail_call_of_the_procedure_itself_keeps_its_frame():
    machine = Calls()
    process = alone(machine, "D3")
    assert [(frame.procedure, frame.pc, frame.saved) for frame in process.stack] == [
        ("down", DONE, (None, 3))
    ]
    assert (process.m, process.v) == (0, 3)


def test_a_parameter_with_a_default_has_it_before_the_first_call_and_after_the_last_return():
    machine = Calls()
    process = alone(machine, "Q1")
    assert process.w == 8 and process.z is None and NoDefault().processes[0].w is None
    alone(machine, "S3")
    assert process.w == 2 and [(frame.procedure, frame.saved) for frame in process.stack] == [
        ("spare", (3,)),
        ("spare", (8,)),
    ]
    machine.step(0)
    assert (process.pc, process.w) == ("S4", 3), "what it was before this call, not the default"
    alone(machine, "P6")
    assert (process.w, process.stack) == (8, ())


def test_defaults_are_of_parameters_and_add_no_names():
    assert Procedure("S1", ("w",), (("d", 1),), (("w", 8),)).names == ("w", "d")


def test_a_call_keeps_the_callers_values_in_the_frame():
    machine = Calls()
    alone(machine, "M2")
    machine.step(0)
    frame, below = machine.processes[0].stack
    assert (frame.procedure, frame.pc, frame.saved) == ("tail", "M3", (None, 7))
    assert (below.procedure, below.pc, below.saved) == ("middle", "P3", (None, 5))


def test_a_blocked_step_changes_nothing():
    machine = Calls()
    assert machine.step(0) == "P1"
    before = machine.freeze()
    assert machine.step(1) is None
    assert machine.freeze() == before
    assert {index for index, _, _ in machine.successors(before)} == {0}


def test_a_process_at_its_end_takes_no_step():
    machine = Calls()
    alone(machine, DONE)
    before = machine.freeze()
    assert machine.step(0) is None
    assert machine.freeze() == before
    assert not machine.final(before)
    while machine.step(1):
        pass
    assert machine.final(machine.freeze())


def test_monitors_are_reentrant():
    machine = Calls()
    machine.me = "a"
    assert machine.acquire(machine.gate, "g") and machine.acquire(machine.gate, "g")
    assert machine.gate["g"] == Monitor("a", 2)
    machine.me = "b"
    assert not machine.acquire(machine.gate, "g")
    machine.me = "a"
    machine.release(machine.gate, "g")
    assert machine.gate["g"] == Monitor("a", 1)
    machine.release(machine.gate, "g")
    assert machine.gate["g"] == FREE


def test_frozen_states_are_hashable_and_come_back():
    graph = model_graph("expire_readd")
    machine = MECHANISM.model("expire_readd")
    for state in graph.states:
        hash(state)
        machine.load(state)
        assert machine.freeze() == state
    assert len(set(graph.states)) == len(graph.states)


def test_steps_in_place_go_where_the_successors_say():
    machine, graph = MECHANISM.model("readd"), model_graph("readd")
    state, seen = 0, 0
    machine.load(graph.states[0])
    while graph.edges[state]:
        seen += 1
        thread, label, state = graph.edges[state][seen % len(graph.edges[state])]
        assert machine.step(thread) == label
        assert machine.freeze() == graph.states[state]
    assert seen > 50


def test_a_step_ends_at_the_next_label_unless_it_says_otherwise():
    class Straight(Machine):
        def __init__(self):
            super().__init__(["a"], {"count": 0}, start="S1")
            self.begin()

        def S1(self, t):
            t.count += 1

        def S2(self, t):
            if t.count < 2:
                t.pc = "S1"

        def S3(self, t):
            if t.count == 2:
                return BLOCKED
            t.pc = DONE

    machine = Straight()
    labels = [machine.step(0) for _ in range(6)]
    assert labels == ["S1", "S2", "S1", "S2", None, None]
    assert machine.processes[0].pc == "S3", "a step that waits ends nowhere"
    state = machine.freeze()
    assert machine.successors(state) == []
    machine.load(state)
    machine.processes[0].count = 3
    assert machine.step(0) == "S3" and machine.processes[0].pc == DONE
