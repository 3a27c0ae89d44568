"""Theorems about module Controller itself: an invariant that each step of each label keeps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import z3

from proofs.controller.elected import Elected, Fenced
from proofs.controller.epochs import Epochs
from proofs.controller.planted import FAULTS
from proofs.controller.runs import EARLY, SMALL, Here, elements, rigid, winner
from proofs.controller.words import NAME, WORDS
from wheelproof.prove.invariant.subject import Program, Subject
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.kernel import Theory


class Controller(Subject):
    """The module. The labels of the elector up to 2.0 are those of one system alone."""

    def small(self, invariant: type[Invariant]) -> Sequence[Program]:
        return (*SMALL, *(EARLY if invariant is Epochs else ()))


def hints(epochs: Epochs, _name: str) -> list[z3.ExprRef]:
    """The operation that a thread is in, and the next epoch."""
    s = epochs.symbols()
    return [s.turn[thread] - 1 for thread in z3.Consts("t! any_Broker_1", epochs.WORDS.threads.z3)]


SUBJECT = Controller(
    NAME,
    WORDS,
    {
        Epochs: "Spec.ControllerEpochs",
        Fenced: "Spec.ControllerFence",
        Elected: "Spec.Controller",
    },
    SMALL,
    {"winner": winner},
    rigid,
    elements,
    hints,
    placing=Here,
)
THEORY = Theory("protocols.controller_module", mechanism=NAME)
READ = SUBJECT.read
submit = partial(SUBJECT.submit, THEORY, faults=FAULTS)

submit(
    Epochs,
    f"In each state {READ}, whatever the electors are: EpochIncreases, NoLostUpdate and "
    "ActOnlyIfActive. Each epoch that a broker has, or a late server, was /controller_epoch with "
    "its version. What a broker knows of the partition is older than what there is, or the same.",
    assumes=("A-PROGRAM", "A-FIRST"),
)
submit(
    Fenced,
    f"FencedWrites in each state {READ}, where every elector is that of 2.1.0 on.",
    assumes=("A-PROGRAM", "A-ELECTOR", "A-FIRST"),
)
submit(
    Elected,
    f"OneController, DeletesOwnNode and NoPhantom in each state {READ}, where every elector is "
    "that of 2.1.0 on. /controller goes with the living session of the broker that has the last "
    "epoch. Who takes itself for the controller was elected.",
    assumes=("A-PROGRAM", "A-CONNECT", "A-ELECTOR", "A-END", "A-FIRST", "A-WRITTEN"),
)
