"""Every step of the twin is held fast by TLC's graph: one guard or one update changed in any of them is noticed."""
import ast

import pytest

from model.pluscal import LABEL
from tests.model.timer import MECHANISM, ROOT, STEM, model_graph, source, tlc_graph
from wheelproof import floors
from wheelproof.graph.compare import compare
from wheelproof.graph.explorer import explore

TEXT = source("model")
SCENARIO = "expire_readd"
"""Every step of the mechanism is taken in this one; the changes that show only elsewhere name their scenario."""

# label -> (what is there, what is put in its place[, scenario])
CHANGES = {
    "U1": ("self.list_monitor, t.ul", "self.list_monitor, self.lists[0]", "two_entries_crossed"),
    "U2": ("self.entry_monitor, t.ue", "self.entry_monitor, self.entries[-1]"),
    "U3": ('self.on["CountAtUnlink"]', 'not self.on["CountAtUnlink"]'),
    "U4": ("= self.prev[t.ue]", "= t.ul", "two_entries_crossed"),
    "U5": ("= self.next[t.ue]", "= t.ul", "two_entries_crossed"),
    "U6": ("self.next[t.ue] = None", "self.next[t.ue] = t.ul"),
    "U7": ("self.prev[t.ue] = None", "self.prev[t.ue] = t.ul"),
    "U8": ('t.pc = "U9"', 't.pc = "U10"'),
    "U9": ("-= 1", "-= 2"),
    "U10": ('if self.on["EntryMonitor"]', 'if self.on["EntryMonitor"] and t.stack[0].pc != "F3"'),
    "U11": ("self.list_monitor, t.ul", "self.list_monitor, self.lists[0]", "two_entries_crossed"),
    "R1": ("where is None", "where is None or t.stack[0].pc == 'A1'", "two_entries_crossed"),
    "A0": ("if t.done", "if not t.done"),
    "A1": ("self.list_monitor, t.al", "self.list_monitor, self.lists[0]", "two_adders"),
    "A2": ("self.entry_monitor, t.ae", "self.entry_monitor, self.entries[0]"),
    "A3": ("is not None", "== t.al", "two_adders"),
    "A4": ("= t.al", "= t.tail", "two_entries_crossed"),
    "A5": ("= t.tail", "= t.al", "two_entries_crossed"),
    "A6": ("= t.al", "= self.lists[-1]", "two_adders"),
    "A7": ("self.next[t.tail]", "self.next[t.al]", "two_entries_crossed"),
    "A8": ("= t.ae", "= t.tail"),
    "A9": ('!= "flush"', '== "flush"'),
    "A10": ('if self.on["EntryMonitor"]', 'if self.on["EntryMonitor"] and t.done', "two_adders"),
    "A11": ('t.pc = "A0"', 't.pc = "A12"', "two_adders"),
    "A12": ("self.leave(t)", "t.pc = DONE"),
    "K1": ("!= t.ke", "is None"),
    "K2": ("-= 1", "-= 2"),
    "F1": ('t.pc = "F2"', 't.pc = "F4"'),
    "F2": ("first == t.fl", "first == t.fl or self.revoked[first]"),
    "F3": ("t.fd, t.head", "t.fl, t.head"),
    "F4": ('if self.on["FlushHoldsMonitor"]', 'if self.on["FlushHoldsMonitor"] and t.head is not None'),
    "S1": ('t.pc = "S2"', 't.pc = "S3"'),
    "S2": ("old != t.se", "old == t.se"),
    "S3": ("= False", "= True"),
    "S4": ("self.release(self.task_monitor, t.st)", "pass"),
    "C1": ('t.pc = "C2"', 't.pc = "C3"'),
    "C2": ("entry is not None", "entry is not None and self.list[entry] is not None"),
    "C3": ("self.timer_task_entry[t.ct] = None", "pass"),
    "C4": ("= True", "= entry == self.timer_task_entry[t.ct]"),
    "T0": ("t.turn > len(program)", "t.turn >= len(program)"),
    "T1": ("bucket, entry, back", "None, entry, back"),
}
FAST = ("U3", "A9", "F2")
"""Changes for every run of the suite; all of them are for the night."""


def changed(label: str, old: str, new: str) -> str:
    """The model's text with a fragment of one label's method replaced; the fragment must occur there once."""
    method = next(node for node in ast.walk(ast.parse(TEXT)) if isinstance(node, ast.FunctionDef) and node.name == label)
    lines = TEXT.splitlines(keepends=True)
    body = "".join(lines[method.lineno:method.end_lineno])
    assert body.count(old) == 1, f"{label} has {old!r} {body.count(old)} times"
    return "".join(lines[:method.lineno]) + body.replace(old, new) + "".join(lines[method.end_lineno:])


def compared(text: str, scenario: str):
    """TLC's graph of a scenario against that of a model with this text."""
    module = floors.load(ROOT, f"model.{STEM}", texts={f"model.{STEM}": text})
    graph = explore(module.Model(MECHANISM.scenarios[scenario]), bound=50_000)
    return compare(tlc_graph(scenario), graph, MECHANISM.pc)


def noticed(label: str) -> None:
    old, new, *place = CHANGES[label]
    scenario = place[0] if place else SCENARIO
    assert label in model_graph(scenario).labels
    assert compared(TEXT, scenario).equal
    found = compared(changed(label, old, new), scenario)
    assert found.only_tlc and found.only_model
    for side in "in TLC's graph alone, such as", "in the model's graph alone, such as":
        assert side in found.difference


@pytest.mark.parametrize("label", FAST)
def test_a_change_is_noticed(label):
    noticed(label)


@pytest.mark.nightly
@pytest.mark.parametrize("label", CHANGES)
def test_a_change_of_any_label_is_noticed(label):
    noticed(label)


def test_every_label_has_its_change():
    labels = {name for name in vars(floors.load(ROOT, f"model.{STEM}").Model) if LABEL.fullmatch(name)}
    assert labels == set(CHANGES) == set(MECHANISM.labels)
    for label, (old, new, *_) in CHANGES.items():
        assert changed(label, old, new) != TEXT
