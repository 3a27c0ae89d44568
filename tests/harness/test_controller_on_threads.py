"""The controller on real threads: each property is missed in a history that lacks it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from harness.controller_on_threads import Harness, broken, in_history
from impl.controller import CONTROLLER, EPOCH, PARTITION, Epoch
from impl.controller_events import ABRUPTLY, GRACEFULLY
from impl.zookeeper_requests import Create, Delete, Multi, Put
from tests.found import mechanisms
from tests.model.artefacts import ROOT
from wheelproof.checks import stress
from wheelproof.checks.context import Context
from wheelproof.stress.loading import ProductionImplementation
from wheelproof.stress.rounds import IMPATIENT, Stress

MECHANISM = mechanisms()["controller"]


def elect(broker, epoch):
    return broker, (Create(CONTROLLER, broker, ephemeral=True), Put(EPOCH, str(epoch)))


def write(broker, text):
    return broker, (Put(PARTITION, text),)


REMOVED, SHRUNK = ("", "remove"), ("", "shrink")


def of(*steps):
    """The harness after transactions of brokers, and operations by hand."""
    harness = Harness(MECHANISM.scenarios["starts"])
    for broker, done in steps:
        if broker:
            assert harness.connections[broker].ask(Multi(done)).ok
        else:
            getattr(harness, done)()
    return harness


def test_a_history_that_has_them_all():
    first = (elect("b1", 1), write("b1", "1 1 0"), SHRUNK, write("b1", "2 1 1"), REMOVED)
    harness = of(*first, elect("b2", 2), write("b2", "3 2 1"))
    assert len(harness.zookeeper.history) == 7
    assert list(in_history(harness)) == []


@pytest.mark.parametrize(
    "steps, property",
    [
        ([elect("b1", 2)], "EpochIncreases"),
        ([elect("b1", 1), REMOVED, elect("b2", 1)], "EpochIncreases"),
        ([elect("b1", 1), REMOVED, elect("b2", 2), write("b1", "1 1 0")], "FencedWrites"),
        ([elect("b1", 1), write("b2", "1 1 0")], "OneController"),
        ([elect("b1", 1), SHRUNK, write("b1", "1 1 0")], "NoLostUpdate"),
        ([elect("b1", 1), write("b1", "1 1 0"), write("b1", "1 1 0")], "NoLostUpdate"),
        ([elect("b1", 1), ("b2", (Delete(CONTROLLER),))], "DeletesOwnNode"),
    ],
)
def test_a_history_that_lacks_one(steps, property):
    assert list(in_history(of(*steps))) == [property]


@pytest.mark.parametrize(("epoch", "properties"), [("0", []), ("1", ["EpochIncreases"])])
def test_the_epoch_begins_with_0(epoch, properties):
    harness = Harness(MECHANISM.scenarios["first_election"])
    created = Multi((Create(EPOCH, epoch),))
    assert harness.connections["b1"].ask(created).ok
    assert list(in_history(harness)) == properties
    assert not harness.connections["b2"].ask(created).ok


def settled(harness):
    for events in harness.events:
        while not events.quiet():
            events.take()
            events.handled()


@pytest.mark.parametrize(
    "change, properties",
    [
        (lambda harness: None, set()),
        (lambda harness: setattr(harness.electors["b1"], "acting", False), {"NoOrphan"}),
        (lambda harness: setattr(harness.electors["b2"], "acting", True), {"NoPhantom"}),
        (lambda harness: harness.remove(), {"NoVacancy"}),
    ],
)
def test_an_end_that_lacks_one(change, properties):
    harness = Harness(MECHANISM.scenarios["removed"])
    change(harness)
    settled(harness)
    assert {*broken(harness)} == properties


def test_two_that_act_in_one_epoch():
    harness = Harness(MECHANISM.scenarios["removed"])
    harness.electors["b2"].acting, harness.electors["b2"].own = True, Epoch(1, 1)
    assert {*broken(harness)} == {"OneController"}


def test_a_broker_that_handles_an_event_may_lag_behind():
    harness = Harness(MECHANISM.scenarios["removed"])
    harness.electors["b1"].acting = False
    harness.notify("b1", "work")
    assert {*broken(harness)} == set()


def test_the_quiet_is_waited_for():
    harness = Harness(MECHANISM.scenarios["expires_at_start"])
    settled(harness)
    assert not harness.quiet(), "the expiry comes yet"
    harness.connecting.clear()
    assert harness.quiet()
    harness.lag("b1")
    assert not harness.quiet()
    harness.hear("b1")
    harness.notify("b1", "work")
    assert not harness.quiet()


@pytest.mark.parametrize("how", [GRACEFULLY, ABRUPTLY])
def test_the_end_of_a_broker_is_waited_for(how):
    harness = Harness(MECHANISM.scenarios["removed"])
    harness.leave("b1", how)
    settled(harness)
    assert not harness.quiet(), "its session lives"
    harness.expire("b1")
    settled(harness)
    assert harness.quiet()


def test_brokers_that_have_ended_are_no_candidates():
    harness = Harness(MECHANISM.scenarios["removed"])
    for broker, properties in zip(harness.brokers, [set(), {"NoVacancy"}], strict=True):
        assert {*broken(harness)} == properties
        harness.leave(broker, ABRUPTLY)
        harness.expire(broker)
        settled(harness)
    assert {*broken(harness)} == set(), "no broker is left"


def test_the_one_that_is_left_has_to_be_elected():
    harness = Harness(MECHANISM.scenarios["removed"])
    harness.leave("b1", GRACEFULLY)
    harness.expire("b1")
    assert {*broken(harness)} == set(), "the other one has an event"
    settled(harness)
    assert {*broken(harness)} == {"NoVacancy"}


def test_a_session_that_stays_open_is_an_orphan():
    harness = Harness(MECHANISM.scenarios["removed"])
    harness.leave("b1", GRACEFULLY)
    harness.electors["b1"].acting = False
    assert {*broken(harness)} == set(), "its event waits"
    settled(harness)
    assert {*broken(harness)} == {"NoOrphan"}


def test_a_broker_that_has_ended_abruptly_believes_nothing():
    harness = Harness(MECHANISM.scenarios["removed"])
    harness.electors["b2"].acting, harness.electors["b2"].own = True, Epoch(1, 1)
    harness.leave("b1", ABRUPTLY)
    assert {*broken(harness)} == set()


def test_real_threads_elect_as_the_model_does(tmp_path):
    config = MECHANISM.configs["expires_at_start"]
    final = stress.outcomes(stress.ending(Context(MECHANISM, tmp_path), config), ())
    found = Stress(
        ProductionImplementation(ROOT, "controller"),
        MECHANISM.scenarios["expires_at_start"],
        invariants=MECHANISM.invariants,
    ).run(5, final)
    assert found[:2] == (5, None)


def test_a_decision_that_is_taken_away_is_missed(tmp_path, monkeypatch):
    """`make verify` has a row for each of [faults]."""
    fault = MECHANISM.faults["lost_isr"]
    monkeypatch.setattr(Context, "limits", SimpleNamespace(rounds=10))
    (row,) = stress.check_fault(Context(MECHANISM, tmp_path), fault).rows
    assert row.ok and row.property == "NoLostUpdate", row.why
    sound = Stress(
        ProductionImplementation(ROOT, "controller"),
        MECHANISM.scenarios[fault.scenario],
        patience=IMPATIENT,
    )
    assert sound.run(1, {}).finding.properties == {"FinalState"}, "nothing is kept"
