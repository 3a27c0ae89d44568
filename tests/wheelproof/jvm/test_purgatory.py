"""The released purgatory beside its model, and what the comparison must refuse."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from tests.nights import only
from wheelproof.checks import jvm as layer
from wheelproof.checks.context import Context
from wheelproof.counterexample import document, replay
from wheelproof.graph import reduced
from wheelproof.jvm import declaration, product, tasks
from wheelproof.jvm.joined import Joined
from wheelproof.jvm.values import Encoder
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
BINDING = bindings()["purgatory"]
MECHANISM = mechanisms()["purgatory"]
RELEASE = BINDING.releases[0]


def compared(jvm, scenario, binding=BINDING, change="", fine=False):
    jvm.load(binding, change)
    program = MECHANISM.scenarios[scenario]
    whole = reduced.reduce(MECHANISM.model(scenario), MECHANISM.silent)
    graph = Joined(whole, binding.pairs).graph
    jvm.begin(binding, program, fine)
    found = jvm.explore(20_000, 300)
    made = product.compare(found, graph, reduced.rows(graph), Encoder(graph.model, program))
    return found, made


@pytest.mark.parametrize("scenario", only(BINDING.fast, "forced"))
@pytest.mark.parametrize("fine", only([False, True], False))
def test_released_classes_are_the_model(jvm, scenario, fine):
    found, made = compared(jvm, scenario, fine=fine)
    assert found.complete and not found.faults
    assert made.difference is None and not made.uncovered
    assert made.figures["compared_edges"] == made.figures["model_edges"]


def test_the_model_stops_where_the_classes_cannot(jvm):
    _, made = compared(jvm, "forced", replace(BINDING, joined={}))
    assert made.difference is not None
    assert made.difference.schedule[-1] == ("w", "W3")
    assert made.difference.message.startswith("list is <<1>>, <<0>> in the model")


def test_a_step_without_its_label_is_a_difference(jvm):
    labels = {name: sites for name, sites in BINDING.labels.items() if name != "Z1"}
    _, made = compared(jvm, "forced", replace(BINDING, labels=labels))
    assert made.difference is not None and made.difference.schedule[-1] == ("w", "A7")
    assert made.difference.message == "w ends 1 operation with this step, 0 in the model"


def test_a_model_that_looks_again_at_the_end_of_a_list_is_another_machine(jvm, monkeypatch):
    """In the classes what onComplete enters behind the last operation is not tried."""

    def further(self, t):
        t.ahead = t.ahead if t.ahead[0] else self.first(t.ck, t.mine, t.here[0])
        t.pc = "C0" if t.ahead[0] else "C8"

    monkeypatch.setattr(type(MECHANISM.model("entered_again")), "goes_on", further)
    found, made = compared(jvm, "entered_again")
    assert found.complete and not found.faults
    assert made.difference is not None
    assert made.difference.message == "w is at C8, in the model at C0"


def backwards(self, shard, key):
    """The lists of a shard from the greatest hash to the least."""
    found = [other for other in self.keys if self.list[other] and self.shard_of(other) == shard]
    ahead = [(self.number[other], other) for other in found]
    rest = [each for each in ahead if key is None or each[0] < self.number[key]]
    return max(rest)[1] if rest else None


def only_if_there_is_a_list(self, t):
    """A map that has no list when its stream is made is passed over."""
    if self.behind(t.no, None) is None:
        t.no += 1
        t.pc = "N0"


def always(self, t):
    """No map is passed over."""


@pytest.mark.parametrize(
    ("scenario", "name", "change", "step"),
    [
        ("counted", "behind", backwards, ("w", "H3")),
        ("counted", "N1", only_if_there_is_a_list, ("w", "N1")),
        pytest.param("purged", "N1", always, ("e", "N1"), marks=pytest.mark.nightly),
    ],
)
def test_another_way_through_a_map_is_another_machine(
    jvm, monkeypatch, scenario, name, change, step
):
    """A stream passes over a map that never had a list, and goes by the order of hashes."""
    monkeypatch.setattr(type(MECHANISM.model(scenario)), name, change)
    found, made = compared(jvm, scenario)
    assert found.complete and not found.faults
    assert made.difference is not None and made.difference.schedule[-1] == step


def test_where_a_stream_stands_is_part_of_the_state(jvm):
    """Without it two states in front of a look for the next list are taken to be one."""
    harness = tuple(name for name in BINDING.harness if not name.endswith("/Sweep"))
    assert len(harness) == len(BINDING.harness) - 1
    _, made = compared(jvm, "counted", replace(BINDING, harness=harness))
    assert made.difference is not None
    assert made.difference.schedule[-1] == ("w", "N2")
    assert made.difference.message == "w is at N4, in the model at N1"


@pytest.mark.nightly
@pytest.mark.parametrize("name", BINDING.changes)
def test_each_change_is_rejected_by_its_property(output, name):
    (row,) = layer.check(Context(MECHANISM, output), [f"{name}@{RELEASE}"]).rows
    without = BINDING.changes[name].without
    wanted = {each.property for each in MECHANISM.mutants.values() if each.decision == without}
    assert (row.verdict, row.ok) == (Verdict.VIOLATED, True), row.why
    assert row.property in (wanted or {declaration.BISIMULATION})


@pytest.mark.nightly
def test_a_run_with_joined_steps_is_replayed_on_the_classes(output, monkeypatch, capsys):
    monkeypatch.chdir(output)
    name = f"no-recheck@{RELEASE}"
    (row,) = layer.check(Context(MECHANISM, output), [name]).rows
    assert row.trace
    found = document.read(output / row.trace)
    labels = [step.label for step in found.steps]
    assert labels.count("W3") == labels.count("W4") > 0
    assert "W4" in labels and len(found.schedule) < len(labels)
    assert replay.run(output / row.trace, "impl", root=ROOT) == replay.REPRODUCED
    assert "reproduced on the implementation: CompletedOnce" in capsys.readouterr().out


@pytest.mark.nightly
def test_a_pair_that_no_scenario_has_is_a_fault(output, monkeypatch):
    idle = replace(BINDING, joined=dict(BINDING.joined) | {"W6 W5": "why"})
    monkeypatch.setattr(tasks, "find", lambda root: {"purgatory": idle})
    names = [f"forced@{RELEASE}", f"sites@{RELEASE}"]
    row = layer.check(Context(MECHANISM, output), names).rows[-1]
    assert not row.ok and "no scenario joins W6 and W5" in row.why


def test_all_scenarios_are_compared_or_have_a_reason():
    compared_ones = set(BINDING.scenarios(MECHANISM))
    assert len(compared_ones) == 21
    mine = {name for name, each in MECHANISM.scenarios.items() if each["protocol"] == "Blocking"}
    assert compared_ones | set(BINDING.absent) == mine
    assert not compared_ones & set(BINDING.absent)
    assert not BINDING.rejects
