"""Faults planted in module Controller, and the steps that they break in small runs."""

from __future__ import annotations

from proofs.controller.elected import Elected, Fenced
from proofs.controller.epochs import Epochs
from proofs.controller.runs import scenario
from wheelproof.prove.invariant.planted import Fault

VACANT = "\nMayElect(read) == node = Vacant"
FENCE = "epoch.version = own[b].version"
PART = "part.version = known[b].version"
MAY_WRITE = f"\nMayWrite(b) == {FENCE} /\\ {PART}\n"
FAULTS = (
    Fault(
        "elects_at_any_version",
        "an election raises the epoch whatever its version is",
        Epochs,
        ((f"{VACANT} /\\ epoch.version = read.version\n", f"{VACANT}\n"),),
        scenario(b="serve", z="visit; rest"),
        "C4_to_F1: epoch_counts_elections",
        "EpochIncreases",
    ),
    Fault(
        "writes_any_version",
        "a controller writes a partition whatever its version is",
        Epochs,
        ((MAY_WRITE, f"\nMayWrite(b) == {FENCE}\n"),),
        scenario("b", b="serve", z="notify b work; shrink; rest"),
        "W1_to_back_2: no_lost_update",
        "NoLostUpdate",
    ),
    Fault(
        "works_without_office",
        "a broker works for partitions that does not take itself for the controller",
        Epochs,
        (('ELSE /\\ IF event = "work" /\\ acts[self]\n', 'ELSE /\\ IF event = "work"\n'),),
        scenario("b", a="serve", b="serve", z="notify a work; rest"),
        "A1_to_W1: who_works_acts",
        "ActOnlyIfActive",
    ),
    Fault(
        "no_fence",
        "a controller's write does not check the epoch",
        Fenced,
        ((MAY_WRITE, f"\nMayWrite(b) == {PART}\n"),),
        scenario("a", a="serve", b="serve", z="notify a work; remove; rest"),
        "W1_to_back_2: fenced_writes",
        "FencedWrites",
    ),
    Fault(
        "moves_at_any_epoch",
        "a broker that gives its office up does not check the epoch",
        Elected,
        ((f"\nMayDelete(b) == {FENCE} /\\ ", "\nMayDelete(b) == "),),
        scenario("a", a="serve", b="serve", z="notify a move; remove; rest"),
        "M2_to_back_2: deletes_its_own_node",
        "DeletesOwnNode",
    ),
    Fault(
        "takes_any_node",
        "a broker whose election was refused does not look whose /controller is",
        Elected,
        (("IF Tree(self).node.id # self\n", "IF FALSE\n"),),
        scenario(a="serve", b="serve", z="rest"),
        "C5_to_C6: next_epoch_is_its_own",
        "OneController",
    ),
    Fault(
        "takes_any_epoch",
        "a broker that finds its node does not look which epoch there is",
        Elected,
        (("IF Tree(self).epoch.value # seen[self].value + 1\n", "IF FALSE\n"),),
        scenario(a="serve", b="serve", z="lose a after; remove; rest"),
        "C6_to_F1: own_epochs_were_won",
        "OneController",
    ),
)
"""Faults that a theorem refuses."""
