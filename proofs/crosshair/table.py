"""CrossHair's verdicts per function, read line by line: it exits with 0 for "not confirmed" too.

Every postcondition must have its line: where one is missing, the function has no verdict. A
counterexample counts when Python, calling the function with its arguments, finds the preconditions
met and the postcondition false.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ENDING, ENDLESS = 40, 4
"""CPU seconds for one condition that ends long before, and for one without an end."""
TIMES_MORE = (1, 4, 16)
"""A slow machine gets more of them before a verdict for lack of time counts."""
FOR_LACK_OF_TIME = ("bounded", "unmet")
"""CrossHair reports "unmet" too where its time ends before it meets the preconditions."""

_LINE = re.compile(r"^(?P<file>.*?):(?P<line>\d+): (?P<kind>info|error|warning): (?P<text>.*)$")
_VERDICTS = {
    "Confirmed over all paths.": "confirmed",
    "Not confirmed.": "bounded",
    "Unable to meet precondition.": "unmet",
}
_CALL = re.compile(r"^false when calling (?P<call>.*?\))(?: \(which returns .*\))?$")
WORST = ("no verdict", "raised", "refuted", "unmet", "bounded", "confirmed")
"""A function's verdict is the worst of its conditions'."""


class OutputError(Exception):
    """CrossHair printed a line without a meaning here, or nothing."""


@dataclass(frozen=True)
class Contract:
    """A function with its conditions, as Python expressions.

    ``lines`` are those of its postconditions, ``before`` of its preconditions.
    """

    name: str
    pre: tuple[str, ...]
    post: tuple[str, ...]
    lines: tuple[int, ...]
    before: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """A verdict of WORST, and the calls that CrossHair gives as counterexamples."""

    verdict: str
    calls: tuple[str, ...] = ()


def contracts(module: ModuleType) -> dict[str, Contract]:
    """The functions of a module that have postconditions in their docstrings (PEP 316)."""
    source = inspect.getsource(module)
    table = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and (text := ast.get_docstring(node, clean=False)):
            first = node.body[0].lineno
            lines = [
                (first + number, line.strip()) for number, line in enumerate(text.splitlines())
            ]
            post = [
                (line, content.removeprefix("post:").strip())
                for line, content in lines
                if content.startswith("post:")
            ]
            if post:
                pre = [
                    (line, content.removeprefix("pre:").strip())
                    for line, content in lines
                    if content.startswith("pre:")
                ]
                table[node.name] = Contract(
                    node.name,
                    tuple(condition for _, condition in pre),
                    tuple(condition for _, condition in post),
                    tuple(line for line, _ in post),
                    tuple(line for line, _ in pre),
                )
    return table


def read(output: str, targets: Iterable[Contract]) -> dict[str, Outcome]:
    """The outcome of every contract.

    OutputError: a line is none of CrossHair's verdicts, or is about no postcondition.
    """
    verdicts: dict[int, str] = {}
    calls: dict[int, str] = {}
    targets = list(targets)
    lines = {line: [line] for contract in targets for line in contract.lines}
    # unmet preconditions are reported on one of their lines, once for all
    # postconditions
    unmet = {line: contract.lines for contract in targets for line in contract.before}
    for text in output.splitlines():
        if not text.strip():
            continue
        match = _LINE.match(text)
        if match is None:
            raise OutputError(f"CrossHair printed {text!r}, which is no verdict.")
        line = int(match["line"])
        if line not in (
            unmet if _VERDICTS.get(match["text"]) == "unmet" and line not in lines else lines
        ):
            raise OutputError(
                f"CrossHair printed {text!r}: there is no such condition on that line."
            )
        if match["kind"] == "error":
            call = _CALL.match(match["text"])
            verdicts[line] = "refuted" if call else "raised"
            calls[line] = call["call"] if call else match["text"]
        elif match["text"] in _VERDICTS:
            verdicts |= dict.fromkeys(lines.get(line) or unmet[line], _VERDICTS[match["text"]])
        else:
            raise OutputError(f"CrossHair printed {text!r}, which is no verdict.")
    return {
        contract.name: Outcome(
            min((verdicts.get(line, "no verdict") for line in contract.lines), key=WORST.index),
            tuple(calls[line] for line in contract.lines if line in calls),
        )
        for contract in targets
    }


def check(module: str, verdicts: Mapping[str, str]) -> dict[str, Outcome]:
    """Run CrossHair on a module of this package.

    ``verdicts``: the expected verdict of each function, which sets its time.

    Raises OutputError where CrossHair does not end as it does with verdicts.
    """
    table = contracts(importlib.import_module(module))
    outcomes: dict[str, Outcome] = {}
    for times in TIMES_MORE:
        for base, endless in (ENDING, False), (ENDLESS, True):
            pending = [
                contract
                for name, contract in table.items()
                if (verdicts.get(name) == "bounded") is endless
                and _needs_time(outcomes.get(name), verdicts.get(name))
            ]
            if pending:
                outcomes |= _outcomes(module, pending, base * times)
    return {name: outcomes[name] for name in table}


def _needs_time(outcome: Outcome | None, expectation: str | None) -> bool:
    """Whether more time may lead to another outcome."""
    return outcome is None or (
        outcome.verdict in FOR_LACK_OF_TIME and outcome.verdict != expectation
    )


def _outcomes(module: str, targets: list[Contract], seconds: float) -> dict[str, Outcome]:
    process = crosshair(
        "check",
        "--report_all",
        "--analysis_kind=PEP316",
        f"--per_condition_timeout={seconds}",
        *[f"{module}.{contract.name}" for contract in targets],
    )
    if process.returncode not in (0, 1):
        raise OutputError(
            f"CrossHair ended with {process.returncode}: {process.stderr.strip()[-500:]}"
        )
    return read(process.stdout, targets)


def crosshair(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run CrossHair on the code in a folder, with one hash seed, so that it repeats itself."""
    environment = os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "crosshair", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
    )


def confirmed(module: ModuleType, contract: Contract, call: str) -> str:
    """ "" where Python confirms a counterexample; else why it does not."""
    expression = ast.parse(call, mode="eval").body
    if not isinstance(expression, ast.Call) or ast.unparse(expression.func) != contract.name:
        return f"{call} calls something else"
    function = getattr(module, contract.name)
    arguments = (
        inspect.signature(function)
        .bind(
            *[ast.literal_eval(argument) for argument in expression.args],
            **{
                str(keyword.arg): ast.literal_eval(keyword.value) for keyword in expression.keywords
            },
        )
        .arguments
    )
    names: dict[str, Any] = vars(module) | arguments
    if unmet := [condition for condition in contract.pre if not eval(condition, names)]:
        return f"the precondition {unmet[0]} does not hold of {call}"
    names["__return__"] = function(**arguments)
    return (
        ""
        if not all(eval(condition, names) for condition in contract.post)
        else f"every postcondition holds of {call}"
    )


def expected() -> Mapping[str, Mapping[str, str]]:
    """By module, the verdict of each function."""
    return tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8"))


def main() -> int:
    """Print function, expected and found verdict; 1 where they differ."""
    differ = 0
    for module, verdicts in expected().items():
        outcomes = check(f"proofs.crosshair.{module}", verdicts)
        for name in dict.fromkeys([*verdicts, *outcomes]):
            verdict = outcomes[name].verdict if name in outcomes else "no contract"
            differ += verdict != verdicts.get(name)
            calls = outcomes[name].calls if name in outcomes else ()
            print(
                f"{module}.{name}: expected {verdicts.get(name, 'nothing')}, "
                f"{': '.join([verdict, *calls])}",
                flush=True,
            )
    return int(differ > 0)


if __name__ == "__main__":
    raise SystemExit(main())
