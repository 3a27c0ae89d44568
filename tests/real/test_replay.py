"""Paths of the model are performed on a real ensemble, and what diverges there is found."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from impl import zookeeper_requests as requests
from impl.controller import CONTROLLER
from real.replay import __main__ as command
from real.replay import followed, paths, present
from real.replay.__main__ import Report
from real.replay.behind import Behind
from real.replay.followed import Follower
from real.replay.paths import Graphs
from real.replay.sessions import Sessions, watches
from real.zookeeper import ensemble, server
from tests.found import mechanisms
from wheelproof.counterexample.build import build
from wheelproof.errors import NothingChecked, ToolError, UsageError
from wheelproof.jvm.jars import NotHere
from wheelproof.python import Difference

FEW = ("reply_lost", "removed", "expires_at_start", "moves")
VIOLATED = (
    "early_unfenced: FencedWrites fails after 11 steps",
    "early_without_epoch: OneController fails after 7 steps",
    "written_orphan: NoOrphan fails after 5 steps",
    "corrupt_orphan: NoOrphan fails after 8 steps",
    "early_robs: DeletesOwnNode fails after 14 steps",
    "upgraded_orphan: NoOrphan fails after 21 steps",
    "two_believe: OneBelieves fails after 7 steps",
)
"""What is printed of the configs that have to fail."""
MUTANTS = ("NoFence", "NoHandshake", "WaitsForSession", "KeepsNode")


@pytest.fixture(scope="module")
def mechanism():
    whole = mechanisms()["controller"]
    return replace(
        whole,
        scenarios={name: whole.scenarios[name] for name in FEW},
        configs={name: whole.configs[name] for name in ("removed", "two_believe")},
        mutants={name: whole.mutants[name] for name in MUTANTS},
    )


@pytest.fixture(scope="module")
def graphs(mechanism):
    return Graphs(mechanism)


@pytest.fixture(scope="module")
def in_memory(graphs):
    """Performs paths without an ensemble."""
    return Follower(graphs)


@pytest.fixture
def report(in_memory, tmp_path):
    return Report(in_memory, tmp_path)


# -- which paths


def test_paths_are_the_same_for_a_seed_and_have_every_label(graphs):
    some = paths.draw(graphs, "moves", 8, seed=1)
    assert some == paths.draw(graphs, "moves", 8, seed=1) != paths.draw(graphs, "moves", 8, 2)
    graph = graphs.graph("moves")
    assert {label for path in some for _, label in path.schedule} == graph.labels
    assert all(not graph.edges[paths.end_of(graphs, path)] for path in some)
    assert [path.name for path in some[:2]] == ["moves.1", "moves.2"]


def test_labels_that_no_path_has_are_refused(report, graphs, capsys):
    some = paths.draw(graphs, "reply_lost", 1, seed=1)
    with pytest.raises(NothingChecked, match="No path has .*M2.*, by --paths"):
        report.cover(some, graphs.graph("reply_lost").labels | {"M2"})
    assert capsys.readouterr().out.startswith("1 paths of 1 scenarios, ")


def test_a_path_to_nowhere_is_no_counterexample(graphs):
    whole = graphs.mechanism
    holds = replace(whole.configs["two_believe"], property="NoOrphan")
    broken = Graphs(replace(whole, configs={"two_believe": holds}, mutants={}))
    with pytest.raises(NothingChecked, match="two_believe: NoOrphan holds in the whole graph"):
        list(paths.counterexamples(broken))


def test_one_server_is_late_at_most(graphs):
    """The others are named on the page of the mechanism, each with its reason."""
    whole = mechanisms()["controller"]
    left = set(whole.scenarios) - set(paths.performable(whole))
    assert left == {"late_old_node", "late_at_move", "late_both"}


def test_a_path_on_which_a_server_lacks_something():
    whole = Graphs(mechanisms()["controller"])
    found = paths.draw(whole, "late_partition", 4, seed=1)
    lagging = [path for path in found if paths.lags(whole, path)]
    assert 0 < len(lagging) < 4
    labels = [label for _, label in lagging[0].schedule]
    assert "N5" in labels[labels.index("N9") :]
    assert not any(paths.lags(whole, path) for path in paths.draw(whole, "isr_changes", 2, 1))


# -- what is compared


def test_random_paths_agree(report, graphs, capsys):
    some = [path for scenario in FEW for path in paths.draw(graphs, scenario, 8, seed=3)]
    report.cover(some, {label for scenario in FEW for label in graphs.graph(scenario).labels})
    out = capsys.readouterr().out
    assert out.startswith("32 paths of 4 scenarios, ") and out.endswith(": 0 diverge\n")
    assert report.steps == sum(len(path.schedule) for path in some)


def test_a_counterexample_comes_about_and_its_elector_is_no_run_of_the_model(
    report, graphs, capsys
):
    report.counterexamples(paths.counterexamples(graphs))
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == "two_believe: OneBelieves fails after 7 steps"
    assert [line.partition(":")[0] for line in lines[::2]] == list(MUTANTS)
    assert all(line.startswith("  beside the whole model after step ") for line in lines[1::2])
    assert lines[4] == "WaitsForSession: NoDeadlock fails after 4 steps"
    assert "b1 can take C1 in the model and has to wait at C1" in lines[5]


def test_a_counterexample_after_which_all_holds_is_refused(report, graphs):
    some = next(iter(paths.counterexamples(graphs)))
    short = replace(some, schedule=some.schedule[:-1])
    with pytest.raises(NothingChecked, match="two_believe: OneBelieves does not fail"):
        report.counterexamples([short])


def test_an_elector_that_lacks_nothing_is_no_control(report, graphs, monkeypatch):
    some = replace(next(iter(paths.counterexamples(graphs))), impl_without="NoFence")
    monkeypatch.setattr(report.follower, "implementation", lambda _: load(""))
    load = type(report.follower).implementation.__get__(report.follower)
    with pytest.raises(NothingChecked, match="two_believe does not diverge from the whole model"):
        report.counterexamples([some])


def lacking(graphs, name):
    """A mutant's elector beside the whole model."""
    found = next(path for path in paths.counterexamples(graphs) if path.name == name)
    return replace(found, model_without="")


def test_a_divergence_is_named_and_its_file_runs_again(report, graphs, mechanism, capsys, tmp_path):
    found = report.perform(lacking(graphs, "KeepsNode")).difference
    out = capsys.readouterr().out
    assert out.startswith("  KeepsNode, after step 5, b1.M2 (impl/controller_thread.py:")
    assert "node is (('b1', 1),), (Node(id='none', session=0),) in the model; " in out
    file = tmp_path / "replay" / "KeepsNode.json"
    assert f"written to {file}" in out and report.diverged == 1
    again = paths.read(file, mechanism)
    assert (again.impl_without, again.model_without, again.property) == ("KeepsNode", "", "")
    assert again.schedule == found.schedule
    assert str(report.perform(again).difference) == str(found)
    kept = replace(again, impl_without="")
    assert report.follower.follow(kept).difference is None


def test_each_variable_of_a_wrong_state_is_refused(report, graphs, capsys):
    report.wrong_states(paths.draw(graphs, "removed", 1, seed=1)[0])
    assert capsys.readouterr().out.endswith(" after 10 steps: 16 of 16 refused\n")


def test_a_wrong_state_that_passes_is_no_control(report, graphs, monkeypatch):
    monkeypatch.setattr(followed, "alter", lambda value: value)
    with pytest.raises(NothingChecked, match="A wrong value of node is not refused"):
        report.wrong_states(paths.draw(graphs, "removed", 1, seed=1)[0])


def test_a_file_of_another_scenario_is_refused(graphs, mechanism, tmp_path):
    path = paths.draw(graphs, "moves", 1, seed=1)[0]
    paths.write(path, Difference("shared", "", path.schedule), mechanism, tmp_path / "one.json")
    other = replace(mechanism, scenarios={"removed": mechanism.scenarios["removed"]})
    with pytest.raises(UsageError, match="controller with the scenario moves is not controller"):
        paths.read(tmp_path / "one.json", other)


# -- on a real server


class Elsewhere:
    """Stands for the modules of an elector that is loaded apart."""

    class Put(requests.NamedTuple):
        path: str
        data: str
        version: int = -1

    class Multi(requests.NamedTuple):
        parts: tuple


def test_requests_of_other_modules_are_translated():
    theirs = Elsewhere.Multi((Elsewhere.Put("/a", "one", 2),))
    ours = present.translate(theirs)
    assert ours == requests.Multi((requests.Put("/a", "one", 2),))
    assert type(ours) is requests.Multi and type(ours.parts[0]) is requests.Put


def test_watches_are_read_by_session():
    reports = ["0x1f\n\t/a\n\t/b\n0x20\n\t/c\n\n", "\n"]
    found = dict(watches(reports))
    assert found.pop(0) == frozenset()
    assert found == {0x1F: {"/a", "/b"}, 0x20: {"/c"}}


def test_an_elector_needs_an_ensemble():
    with pytest.raises(ToolError, match="The elector is on no ensemble"):
        present.sessions()


def gone(*_):
    raise ConnectionError("gone")


def missed(sessions, port):
    """What a server that is late has and lacks after two changes; here it has both."""
    sessions.begin([])
    behind = Behind(1, port, port, SimpleNamespace(release=lambda: None))
    for part in (requests.Create(CONTROLLER, "b9"), requests.Delete(CONTROLLER)):
        sessions.by_hand((part,))
    found = behind.applied({})
    behind.until = 0
    with pytest.raises(ToolError, match="A server has been late for 30 s"):
        behind.applied({})
    behind.end()
    return found


@pytest.mark.nightly
def test_one_server_does_the_same(graphs, monkeypatch, tmp_path):
    """By day: one server, a path with an expiry, a divergence, and a server that is gone."""
    try:
        with server.running(tmp_path) as port, contextlib.closing(Sessions([port])) as sessions:
            follower = Follower(graphs, sessions)
            some = paths.draw(graphs, "expires_at_start", 1, seed=1)[0]
            assert str(follower.follow(some).difference) == "None"
            found = follower.follow(lacking(graphs, "KeepsNode")).difference
            assert set(found.model) == {"node", "watching", "queue"}
            with pytest.raises(ToolError, match="sends to the node 1 cannot be held"):
                sessions.fall_behind(sessions.watchers[-1])
            assert missed(sessions, port) == ((), ((CONTROLLER, "created"),))
            monkeypatch.setattr(sessions, "end", gone)
            with pytest.raises(ToolError, match="expires_at_start.1: the ensemble failed: gone"):
                follower.follow(some)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")


# -- the command


def test_a_file_of_a_counterexample_is_performed_alone(graphs, monkeypatch, capsys, tmp_path):
    """The file is one of `wheelproof verify`; nothing stands for an ensemble here."""
    path = next(each for each in paths.counterexamples(graphs) if each.name == "NoFence")
    changed = graphs.mechanism.without("NoFence")
    model = changed.model(path.scenario)
    steps = [(model.threads.index(thread), label) for thread, label in path.schedule]
    build(
        changed,
        model,
        steps,
        layer="mutant",
        name=path.name,
        scenario=path.scenario,
        property=path.property,
        explanation="",
    ).write(tmp_path / "one.json")
    monkeypatch.setattr(ensemble, "running", lambda output, linked: contextlib.nullcontext())
    monkeypatch.setattr(command, "open_sessions", lambda running: contextlib.nullcontext())
    read = paths.read(tmp_path / "one.json", graphs.mechanism)
    assert read == path
    assert command.alone(graphs, read, tmp_path) == 0
    assert capsys.readouterr().out == "NoFence: 9 steps, as in the model; FencedWrites fails\n"
    assert command.alone(graphs, replace(read, model_without=""), tmp_path) == 1


@pytest.mark.parametrize("given", [["--paths", "0"], ["--reads", "100001"]])
def test_a_wrong_number_is_refused(given, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(given)
    assert ended.value.code == 2
    assert f"{given[0]}: give a number from 1 to " in capsys.readouterr().err


def test_without_jars_nothing_is_run(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path))
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    assert command.main(["--output", str(tmp_path)]) == 5
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("real.replay: ")


@pytest.fixture(scope="module")
def java():
    """Skips what needs a real ensemble where there is none."""
    try:
        return server.command(ensemble.MAIN)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")


@pytest.mark.nightly
def test_paths_and_counterexamples_on_three_nodes(java, capsys, tmp_path):
    assert command.main(["--paths", "3", "--reads", "100", "--output", str(tmp_path)]) == 0
    first, drawn, *lines = capsys.readouterr().out.splitlines()
    assert first == "ZooKeeper 3.9.4 on 3 nodes"
    assert drawn.startswith("144 paths of 48 scenarios, ")
    assert drawn.endswith(" 44 of 44 labels: 0 diverge")
    whole = mechanisms()["controller"]
    able = paths.performable(whole)
    mutants = [name for name, each in whole.mutants.items() if each.scenario in able]
    assert lines[: len(VIOLATED)] == list(VIOLATED)
    lines = lines[len(VIOLATED) :]
    assert [line.partition(":")[0] for line in lines[: 2 * len(mutants) : 2]] == list(mutants)
    assert "16 of 16 refused" in lines[2 * len(mutants)]
    in_time, waiting = lines[2 * len(mutants) + 1 : 2 * len(mutants) + 3]
    assert (
        in_time.startswith("a server that does not fall behind, late_") and "late is (" in in_time
    )
    assert waiting.endswith("a new session and another connection wait until it has caught up")
    assert not (tmp_path / "replay").exists()


@pytest.mark.nightly
def test_a_divergence_on_three_nodes_runs_again(java, graphs, mechanism, capsys, tmp_path):
    path = lacking(graphs, "KeepsNode")
    expected = Follower(graphs).follow(path).difference
    file = tmp_path / "one.json"
    paths.write(path, expected, mechanism, file)
    given = ["--path", str(file), "--output", str(tmp_path)]
    assert command.main(given) == 1
    assert f"KeepsNode, {expected}\n" in capsys.readouterr().out


@pytest.mark.nightly
def test_a_node_that_ends_names_its_log(java, graphs, tmp_path):
    path = paths.draw(graphs, "expires_at_start", 1, seed=1)[0]
    with (
        pytest.raises(ToolError, match="connection loss|the ensemble failed|not answer"),
        ensemble.running(tmp_path) as running,
        contextlib.closing(Sessions(running.ports, running.leader())) as sessions,
    ):
        running.processes[running.leader()].kill()
        Follower(graphs, sessions).follow(path)
    with (
        pytest.raises(ToolError, match="node 1 ended with 2. Its log is"),
        ensemble.running(tmp_path) as running,
    ):
        server.end(running.processes[0])
        running.settings[0] = "nothing"
        running.begin(0)
        running.await_ready()


@pytest.mark.nightly
def test_a_command_that_is_terminated_leaves_no_node(java, tmp_path):
    program = (
        "import sys\n"
        "from real.replay.sessions import Sessions\n"
        "look, looks = Sessions.look, []\n"
        "def inside_a_step(self):\n"
        "    looks.append(look(self))\n"
        "    if len(looks) == 30:\n"
        "        print('', *self.ports, flush=True)\n"
        "Sessions.look = inside_a_step\n"
        "from real.replay.__main__ import main\n"
        f"sys.exit(main(['--paths', '2', '--output', {str(tmp_path)!r}]))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=command.ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ZooKeeper 3.9.4 on 3 nodes\n"
        ports = process.stdout.readline().split()
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(120) == 128 + signal.SIGTERM
    assert len(ports) == 3
    time.sleep(0.1)
    for port in ports:
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", int(port))) != 0
