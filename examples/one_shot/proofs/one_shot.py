"""The action runs at most once, for any number of threads and of their operations."""

from types import SimpleNamespace

import z3
from z3 import ForAll, If, Implies, Not, Or

from wheelproof.prove.invariant.planted import Fault, without
from wheelproof.prove.invariant.subject import Subject
from wheelproof.prove.invariant.system import Invariant, back, labels
from wheelproof.prove.kernel import Theory
from wheelproof.prove.module.shapes import BOOL, INT, Listing, Subset, Vocabulary, prefixed
from wheelproof.prove.ts.system import conjunct, sort

NAME = "one_shot"
THREAD = sort("Thread", null="no_thread")
LABEL = labels(NAME, "Label")
OPERATION = prefixed("Operation", "do", "nothing run")

WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "ProcSet": THREAD},
    constants={"Threads": Subset(THREAD), "Program": Listing(THREAD, {1: (OPERATION,)})},
    variables={"done": BOOL, "runs": INT, "owner": THREAD, "pc": LABEL, "turn": INT},
)
(T,) = THREAD.consts("thread")


class OneShot(Invariant):
    """Each conjunct holds at the start, and every step of every label keeps all of them."""

    @conjunct
    def no_one_is_nowhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """Each thread is at a label, and what is no thread is at none."""
        return ForAll([T], self.at(s, T, "Nowhere") == (THREAD.null == T))

    @conjunct
    def calls_return(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that runs the procedure returns to its program."""
        inside = self.at(s, T, "O1", "O2", "O3", "O4", "O5", "O6")
        return ForAll([T], Implies(inside, back(LABEL, s, "run", T, "T0")))

    @conjunct
    def one_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """The owner of the lock is the thread at a label between O2 and O6."""
        inside = self.at(s, T, "O3", "O4", "O5", "O6")
        return ForAll([T], Implies(THREAD.null != T, inside == (s.owner == T)))

    @conjunct
    def runs_before_it_is_done(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where a thread is about to run the action, or to note that it ran, it is not noted."""
        return ForAll([T], Implies(self.at(s, T, "O4", "O5"), Not(s.done)))

    @conjunct
    def ran_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """The action has run once where that is noted or is to be noted, and else never."""
        return s.runs == If(Or(s.done, self.at(s, s.owner, "O5")), 1, 0)


SUBJECT = Subject(NAME, WORDS, {OneShot: "Spec.OneShot"}, ["two"], properties=["RunsOnce"])

FAULTS = (
    without(OneShot, "OneLook", "O3_to_O4: runs_before_it_is_done", "RunsOnce"),
    Fault(
        "runs_again",
        "a thread's third operation does not look at done",
        OneShot,
        (
            ("IF done\n", "IF done /\\ turn[self] < 4\n"),
            ("IF ~done\n", "IF ~done \\/ turn[self] = 4\n"),
        ),
        {"threads": {"a": [["run"], ["run"], ["run"]]}},
        "O3_to_O4: runs_before_it_is_done",
        "RunsOnce",
    ),
)

THEORY = Theory("one_shot", mechanism=NAME)
SUBJECT.submit(THEORY, OneShot, f"RunsOnce in each state {SUBJECT.read}.", FAULTS, profile="fast")
