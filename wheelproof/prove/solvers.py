"""The two solvers. Both are given SMT-LIB texts, which are also written to disk.

Z3 runs a text in a context of its own, or in one that the caller shares among few texts: to make a
context takes longer than to answer most texts. The resource count is that of one text alone.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import cvc5
import z3

RESOURCES = 5_000_000
"""Z3's resource units (`rlimit`) that one check may use, the same on every machine."""

SECONDS = 300
"""Wall time after which either solver gives up, as the last resort."""


class SolverError(Exception):
    """A solver does not give the wanted answer. The message says why."""


class NotRefuted(SolverError):
    """cvc5 has no proof of a text: it says something else than "unsat"."""


@dataclass(frozen=True)
class Answer:
    """Z3's answer: "sat", "unsat" or "unknown", the units used, the indices of the unsat core."""

    verdict: str
    resources: int
    core: frozenset[int] = frozenset()
    reason: str = ""


@contextmanager
def trusted() -> Iterator[None]:
    """Within: Z3's Python does not ask of each argument whether it is a term.

    It is for terms that are made already. Z3 has checked their types once.
    """
    asks, z3.z3.Z3_DEBUG = z3.z3.Z3_DEBUG, False
    try:
        yield
    finally:
        z3.z3.Z3_DEBUG = asks


def versions() -> dict[str, str]:
    """Names and versions of the solvers."""
    return {"z3": z3.get_version_string(), "cvc5": cvc5.__version__}


@trusted()
def smt_lib(formulas: Iterable[z3.BoolRef]) -> str:
    """The formulas as one SMT-LIB script, in their order."""
    solver = z3.Solver()
    solver.add(*formulas)
    body = solver.to_smt2()
    return (
        "(set-logic ALL)\n"
        + "\n".join(line for line in body.splitlines() if not line.startswith((";", "(set-info")))
        + "\n"
    )


def _solver(
    text: str, seed: int, resources: int, context: z3.Context | None
) -> tuple[z3.Solver, Sequence[z3.BoolRef]]:
    context = context or z3.Context()
    solver = z3.Solver(ctx=context)
    solver.set("random_seed", seed)
    solver.set("rlimit", resources)
    solver.set("timeout", SECONDS * 1000)
    return solver, z3.parse_smt2_string(text, ctx=context)


@trusted()
def refute(
    text: str, seed: int, resources: int = RESOURCES, context: z3.Context | None = None
) -> Answer:
    """Z3's answer whether the text is unsatisfiable.

    The seed also shuffles the formulas, since that moves a solver more than its own seed does.
    ``context``: one that has had other texts, None for a new one.
    """
    solver, formulas = _solver(text, seed, resources, context)
    before = _resources(solver)
    order = list(range(len(formulas)))
    if seed:
        random.Random(seed).shuffle(order)
    for index in order:
        solver.assert_and_track(formulas[index], f"f{index}")
    verdict = str(solver.check())
    core = (
        frozenset(int(tracker.decl().name()[1:]) for tracker in solver.unsat_core())
        if verdict == "unsat"
        else frozenset()
    )
    return Answer(
        verdict,
        _resources(solver) - before,
        core,
        solver.reason_unknown() if verdict == "unknown" else "",
    )


def _resources(solver: z3.Solver) -> int:
    figures = solver.statistics()
    names = figures.keys()  # no mapping: `in` would not find a name
    return int(figures.get_key_value("rlimit count")) if "rlimit count" in names else 0


@trusted()
def model(
    text: str, seed: int = 0, resources: int = RESOURCES, context: z3.Context | None = None
) -> tuple[str, z3.ModelRef | None]:
    """("sat", a model), ("unsat", None) or ("unknown", None). ``context``: as in `refute`."""
    solver, formulas = _solver(text, seed, resources, context)
    solver.add(*formulas)
    verdict = str(solver.check())
    return verdict, solver.model() if verdict == "sat" else None


@trusted()
def shown(model: z3.ModelRef) -> str:
    """A model's constants in one line, by name; arrays in SMT-LIB, which Z3 itself prints."""
    values = ((symbol.name(), model[symbol]) for symbol in model.decls() if symbol.arity() == 0)
    constants = sorted(
        (name, value.sexpr() if z3.is_array(value) else str(value)) for name, value in values
    )
    return ", ".join(f"{name} = {' '.join(value.split())}" for name, value in constants)


def second_opinion(text: str) -> str:
    """cvc5's answer to the text: "sat", "unsat", "unknown", or "error: ..." if it rejects it."""
    # Half of the time for all texts, and a tenth for the slowest, against the default strategy.
    return _answer(text, {"decision": "internal"})[1]


_CERTIFYING = {
    "produce-proofs": "true",
    "proof-format-mode": "alethe",
    # Each rewrite is a step with a rule of its own. With less detail some are holes.
    "proof-granularity": "dsl-rewrite",
    "proof-alethe-define-skolems": "true",
    # A fifth of the steps, against the default strategy.
    "decision": "internal",
    # What is simplified at the start leaves holes, too.
    "simplification": "none",
}


def certificate(text: str) -> str:
    """cvc5's proof, in the format Alethe, that the text is unsatisfiable.

    NotRefuted: it does not find it so. SolverError: it cannot write the proof in this format.
    """
    solver, answer = _answer(text, _CERTIFYING)
    if answer != "unsat":
        raise NotRefuted(f"cvc5 has no proof of the second text, and says {answer}")
    (proof,) = solver.getProof()
    alethe = solver.proofToString(proof, cvc5.ProofFormat.ALETHE)
    content = alethe.decode() if isinstance(alethe, bytes) else str(alethe)
    if error := re.match(r'\s*\(\s*\(error "(.*)"\)', content):
        raise SolverError(f"cvc5: {error[1]}")
    return content


def _answer(text: str, options: Mapping[str, str]) -> tuple[cvc5.Solver, str]:
    """cvc5 after the text, and its answer."""
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(SECONDS * 1000))
    for name, value in options.items():
        solver.setOption(name, value)
    try:
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "vc")
        symbols, outputs = parser.getSymbolManager(), []
        while not (command := parser.nextCommand()).isNull():
            outputs.append(str(command.invoke(solver, symbols)))
    except RuntimeError as error:
        return solver, f"error: {' '.join(str(error).split())}"
    answers = "".join(outputs).split()
    if len(answers) != 1 or answers[0] not in ("sat", "unsat", "unknown"):
        return solver, f"error: {' '.join(answers) or 'no answer'}"
    return solver, answers[0]
