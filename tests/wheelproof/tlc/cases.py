"""Ways in which TLC 2.18 ends a run of the modules in `specs`, with the judgement of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from wheelproof.tlc.result import Outcome

LOGS = Path(__file__).parent / "logs"
CONSTANTS = "CONSTANTS Top = 3 Trip = 99\n"
COMPLETED, VIOLATED, ERROR = Outcome.COMPLETED, Outcome.VIOLATED, Outcome.ERROR


@dataclass(frozen=True)
class Case:
    """A run: its exit code, and what must be found in its result; `why` is in the explanation."""

    exit_code: int
    outcome: Outcome
    config: str
    why: str = ""
    module: str = "Stair"
    run: dict = field(default_factory=dict)
    found: dict = field(default_factory=dict)


def violated(exit_code, name, config, states, **found):
    run = {"only_property": name} if "PROPERTY" in config else {}
    return Case(
        exit_code,
        VIOLATED,
        config,
        f"{name} is violated by a behaviour of {states} states",
        run=run,
        module=found.pop("module", "Stair"),
        found={"property": name, **found},
    )


CASES = {
    "completed": Case(
        0,
        COMPLETED,
        f"SPECIFICATION Loop\n{CONSTANTS}INVARIANT InRange\nPROPERTY ReachesTop\n",
        found={
            "generated": 5,
            "distinct": 4,
            "depth": 4,
            "collision": 2.2e-19,
            "property": None,
            "explanation": "",
            "version": "TLC2 Version 2.18 of 20 March 2023",
        },
    ),
    "invariant": violated(
        12,
        "BelowTop",
        f"SPECIFICATION Loop\n{CONSTANTS}INVARIANT InRange\nINVARIANT BelowTop\n",
        4,
        generated=4,
        distinct=4,
        depth=4,
    ),
    "invariant_initial": violated(
        12, "OffFloor", f"SPECIFICATION Loop\n{CONSTANTS}INVARIANT OffFloor\n", 1
    ),
    "deadlock": violated(
        11, "NoDeadlock", f"SPECIFICATION Climb\n{CONSTANTS}INVARIANT InRange\n", 4
    ),
    "lasso": violated(
        13,
        "ReturnsHome",
        f"SPECIFICATION Loop\n{CONSTANTS}PROPERTY ReturnsHome\n",
        4,
        loop=2,
        loop_action="Down",
        stuttering=False,
        depth=None,
    ),
    "stuttering": violated(
        13,
        "GoesOverTop",
        f"SPECIFICATION Climb\n{CONSTANTS}PROPERTY GoesOverTop\nCHECK_DEADLOCK FALSE\n",
        4,
        loop=None,
        stuttering=True,
    ),
    "action_property": violated(
        13, "NeverDown", f"SPECIFICATION Loop\n{CONSTANTS}PROPERTY NeverDown\n", 5, location=None
    ),
    "action_property_unnamed": violated(
        13,
        "OnlyClimbs",
        "SPECIFICATION Spec\nPROPERTY OnlyClimbs\nCHECK_DEADLOCK FALSE\n",
        5,
        module="Hop",
        location="line 17, col 30 to line 17, col 47 of module Hop",
    ),
    "property_initial": violated(
        13,
        "StartsHigh",
        "SPECIFICATION Spec\nPROPERTY StartsHigh\nCHECK_DEADLOCK FALSE\n",
        1,
        module="Hop",
        location="line 16, col 17 to line 16, col 25 of module Hop",
    ),
    "evaluation": Case(
        255,
        ERROR,
        "SPECIFICATION Loop\nCONSTANTS Top = 3 Trip = 2\nINVARIANT InRange\n",
        "code 255: Attempted to apply Head to the empty sequence",
    ),
    "invariant_evaluation": Case(
        76,
        ERROR,
        f"SPECIFICATION Loop\n{CONSTANTS}INVARIANT Breaks\n",
        "code 76: Evaluating invariant Breaks failed",
    ),
    "liveness_evaluation": Case(
        255,
        ERROR,
        f"SPECIFICATION Loop\n{CONSTANTS}PROPERTY BreaksLater\n",
        "code 255: Attempted to apply Head",
    ),
    "assertion": Case(
        14, ERROR, f"SPECIFICATION Asserting\n{CONSTANTS}INVARIANT InRange\n", "stepped too high"
    ),
    "assumption": Case(
        10,
        ERROR,
        "SPECIFICATION Loop\nCONSTANTS Top = 0 Trip = 9\nINVARIANT InRange\n",
        "Assumption line 9, col 25 to line 9, col 31 of module Stair is false",
    ),
    "misspelt_invariant": Case(
        151,
        ERROR,
        f"SPECIFICATION Loop\n{CONSTANTS}INVARIANT InRagne\n",
        "The invariant InRagne specified in the configuration file is not defined",
    ),
    "missing_constant": Case(
        151,
        ERROR,
        "SPECIFICATION Loop\nCONSTANT Top = 3\nINVARIANT InRange\n",
        "The constant parameter Trip is not assigned a value",
    ),
    "malformed_config": Case(
        255,
        ERROR,
        "SPECIFICATION Loop\nCONSTANTS Top = -1\n",
        "code 255: TLC found an error in the configuration file at line 2",
    ),
    "parse_error": Case(
        150, ERROR, "SPECIFICATION Spec\n", 'Encountered "0" at line 3, column', module="Unparsable"
    ),
    "no_module": Case(
        150,
        ERROR,
        "SPECIFICATION Spec\n",
        "Cannot find source file for module Nowhere",
        module="Nowhere",
    ),
    "out_of_memory": Case(
        255,
        ERROR,
        "SPECIFICATION Spec\nINVARIANT EatsMemory\nCHECK_DEADLOCK FALSE\n",
        "TLC ran out of memory",
        module="Hop",
        run={"heap_mb": 40},
    ),
    "stale_translation": Case(
        0,
        ERROR,
        'SPECIFICATION Spec\nCONSTANTS Runners = {"a", "b"} Laps = 1\n',
        "translation in module Relay is stale",
        module="Relay",
    ),
    "continued": Case(
        0,
        ERROR,
        f"SPECIFICATION Loop\n{CONSTANTS}INVARIANT BelowTop\n",
        "reported a violation and that it found no error (exit code 0)",
    ),
}
