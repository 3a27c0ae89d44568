"""States of a scenario with the truth values that the model and TLC give properties in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wheelproof.checks.context import Context, constants_of
from wheelproof.graph.compare import names_of, texts_of
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Model, State, Values
from wheelproof.tlc import mc
from wheelproof.tlc.dot import Node, read_dot
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.tlc.values import parse_value

ENOUGH = 16
"""How many states of each truth value are wanted."""

UNJUDGED = 8
"""The most mixed states of a scenario that may go because TLC cannot judge them."""

CANNOT_EVALUATE = 75
"""TLC's exit code where an expression of the specification has no value."""


@dataclass
class Sample:
    """States of one scenario, each with the model's truth values of the properties.

    A property that raises an exception in a state has no value there.
    """

    scenario: str
    model: Model
    states: list[State] = field(default_factory=list)
    truths: list[dict[str, bool]] = field(default_factory=list)
    by_mixing: list[bool] = field(default_factory=list)
    """Whether each state was mixed from two."""

    def rarity(self, name: str) -> int:
        """The number of states with the rarer of a property's truth values, at most ENOUGH."""
        values = [truth[name] for truth in self.truths if name in truth]
        return min(values.count(True), values.count(False), ENOUGH)

    def worth(self, names: tuple[str, ...]) -> dict[tuple[str, str], int]:
        """``rarity`` of each property, with each variable that has two values or more.

        With such a variable, "each" and "some" differ.
        """
        pieces = dict(
            zip(names_of(self.model), self.model.pieces(self.model.initial()), strict=True)
        )
        several = ["", *(name for name, piece in pieces.items() if len(piece) > 1)]
        return {(name, variable): self.rarity(name) for name in names for variable in several}

    def only(self, numbers: Iterable[int]) -> Sample:
        """The sample with the states of these numbers, in their order."""
        places = list(numbers)
        return Sample(
            self.scenario,
            self.model,
            [self.states[number] for number in places],
            [self.truths[number] for number in places],
            [self.by_mixing[number] for number in places],
        )


def invariants(mechanism: Mechanism) -> tuple[str, ...]:
    """The predicates on states that the TOML declares, those that do not hold included."""
    return tuple(item.name for item in mechanism.properties.values() if item.kind == "invariant")


def witnesses(mechanism: Mechanism) -> tuple[str, ...]:
    """The states to be reached, as the TOML declares them."""
    return mechanism.of_model.witnesses


def predicates(mechanism: Mechanism) -> tuple[str, ...]:
    """The names of all predicates that are compared."""
    return (*invariants(mechanism), *witnesses(mechanism))


def judged_by_tlc(
    context: Context, sample: Sample, check: str
) -> tuple[Sample, TlcResult, dict[int, Mapping[str, bool]]]:
    """The sample without the mixed states that TLC cannot judge, and TLC's run on the others.

    A quantifier over a set ends at the first element that decides it. TLC and Python meet the
    elements in different orders, so that one of them may meet an element first in which the
    property has no value. A state on a schedule never goes, and not more than UNJUDGED of the mixed
    ones: the run then ends with TLC's error. ``check``: the name of the row.
    """
    for _ in range(UNJUDGED + 1):
        result, theirs = by_tlc(context, sample, check)
        failure = result.generated  # TLC makes the initial states in the order of their numbers
        if (
            result.exit_code != CANNOT_EVALUATE
            or failure is None
            or failure >= len(sample.states)
            or not sample.by_mixing[failure]
        ):
            break
        sample = sample.only(number for number in range(len(sample.states)) if number != failure)
    return sample, result, theirs


def by_tlc(
    context: Context, sample: Sample, check: str
) -> tuple[TlcResult, dict[int, Mapping[str, bool]]]:
    """TLC's truth values by the state's number; FALSE where the model has no value."""
    mechanism, model = context.mechanism, sample.model
    texts: dict[tuple[int, Values], str] = {}
    names = names_of(model)
    tables: dict[str, dict[str, int]] = {name: {} for name in names}
    rows = []
    for state in sample.states:
        rows.append(
            [
                tables[name].setdefault(text, len(tables[name]) + 1)
                for name, text in zip(names, texts_of(model, state, texts), strict=True)
            ]
        )
    definitions = {f"Sampled_{name}": f"<<{', '.join(table)}>>" for name, table in tables.items()}
    definitions["SampledRows"] = (
        "<<" + ",\n  ".join(f"<<{', '.join(map(str, row))}>>" for row in rows) + ">>"
    )
    values = [
        f"{name} = Sampled_{name}[SampledRows[sampleNumber][{number}]]"
        for number, name in enumerate(names, 1)
    ]
    names_of_rows = [
        "{" + ", ".join(f'"{name}"' for name in truth) + "}" for truth in sample.truths
    ]
    definitions["SampledNames"] = f"<<{', '.join(names_of_rows)}>>"
    verdicts = ", ".join(
        f'{name} |-> "{name}" \\in SampledNames[sampleNumber] /\\ {name}'
        for name in predicates(mechanism)
    )
    definitions["SampledInit"] = f"/\\ sampleNumber \\in 1..{len(rows)}\n  /\\ " + "\n  /\\ ".join(
        [*values, f"sampleVerdicts = [{verdicts}]"]
    )
    definitions["SampledNext"] = "UNCHANGED <<vars, sampleNumber, sampleVerdicts>>"
    every = "<<vars, sampleNumber, sampleVerdicts>>"
    folder = context.output / "mc" / mechanism.module / f"{check}_{sample.scenario}"
    files = mc.generate(
        mc.McConfig(
            name=f"MC{mechanism.module}_{check}_{sample.scenario}",
            spec=mechanism.checked,
            origin=f"spec/{mechanism.toml.name}, scenario {sample.scenario}",
            constants=constants_of(mechanism, sample.scenario),
            variables=("sampleNumber", "sampleVerdicts"),
            definitions=definitions,
            specification=f"SampledInit /\\ [][SampledNext]_{every}",
            deadlock_check=False,
        ),
        folder,
    )
    dump = folder / "states.dot"
    try:
        result = context.run_tlc(
            files.module,
            timeout=context.limits.tlc_seconds,
            config=files.config,
            dump=dump,
            deadlock_check=False,
            heap_mb=context.limits.heap_mb,
        )
        if result.outcome is not Outcome.COMPLETED:
            return result, {}
        nodes = [node.variables() for node in read_dot(dump) if isinstance(node, Node)]
        return result, {
            parse_value(node["sampleNumber"]) - 1: parse_value(node["sampleVerdicts"])
            for node in nodes
        }
    finally:
        dump.unlink(missing_ok=True)
