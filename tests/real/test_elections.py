"""Released Kafka and the implementation elect alike, and a wrong election is found."""

from __future__ import annotations

import pytest

from impl.partition_leader import Elected, PartitionElections
from real.elections import __main__ as command
from real.elections import compared
from tests.nights import first, only
from wheelproof.jvm.jars import NotHere

FEW = [each for size in (1, 2) for each in compared.inputs(size)]


def differing(release, elections=PartitionElections):
    """Where they differ; without a release's jars nothing is run."""
    try:
        return compared.differences(release, FEW, elections)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")


@pytest.mark.nightly
@pytest.mark.parametrize("release", first(sorted(compared.releases(), reverse=True), 1))
def test_a_release_elects_as_the_implementation(release):
    assert differing(release) == []


class IsrDecides(PartitionElections):
    """The first of the ISR, whatever the assignment says."""

    __slots__ = ()

    def choose(self, kind, isr, live, shutting_down):
        found = super().choose(kind, isr, live, shutting_down)
        if kind != "offline" or found is None or found.unclean:
            return found
        return found._replace(leader=found.isr[0])


class DeadStay(PartitionElections):
    """Dead replicas stay in the ISR."""

    __slots__ = ()

    def choose(self, kind, isr, live, shutting_down):
        found = super().choose(kind, isr, live, shutting_down)
        return found and (found if found.unclean else found._replace(isr=tuple(isr)))


class NoRecovery(PartitionElections):
    """An unclean leader does not recover."""

    __slots__ = ()

    def choose(self, kind, isr, live, shutting_down):
        found = super().choose(kind, isr, live, shutting_down)
        return found and Elected(found.leader, found.isr)


@pytest.mark.parametrize("wrong", only([IsrDecides, DeadStay, NoRecovery], DeadStay))
def test_a_wrong_election_differs_from_a_release(wrong):
    found = differing("3.9.0", wrong)
    assert found and all("Kafka 3.9.0 elects" in line for line in found)


def test_inputs_have_every_isr_and_every_set_of_brokers():
    made = [each for each in compared.inputs(2) if each.kind == "offline"]
    assert {each.isr for each in made} == {(), (1,), (2,), (1, 2), (2, 1)}
    assert len(made) == len(set(made)) == 5 * 9 * 2
    moves = [each for each in compared.inputs(2) if each.kind == "reassign"]
    assert {each.target for each in moves} == {(2, 3)} and (3, 1) in {each.isr for each in moves}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--release", "0.9.0.1"], "There are no elections of release 0.9.0.1."),
        (["--replicas", "6"], "give a number from 1 to 5"),
    ],
)
def test_a_wrong_argument_is_refused(arguments, message, capsys):
    try:
        code = command.main(arguments)
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert message in capsys.readouterr().err


def test_the_command_says_how_many_differ(monkeypatch, capsys):
    monkeypatch.setattr(compared, "by_kafka", lambda release, made: ["none"] * len(made))
    code = command.main(["--release", "3.9.0", "--replicas", "1"])
    out = capsys.readouterr().out
    assert code == 1
    assert out.startswith(f"Kafka 3.9.0: {sum(1 for _ in compared.inputs(1))} elections, ")
    assert "Kafka 3.9.0 elects none, the implementation 1 1 1 0" in out
