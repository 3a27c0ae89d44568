"""Where the checks are that rows name, in which profile they run, and what shows that they can
fail.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache

from tests.claims.collecting import PROFILES
from tests.claims.rows import ROOT, Check, check, controls, rows
from wheelproof import decisions, project
from wheelproof.project.mechanism import name_of

REJECTING = {
    "tests/impl/test_timing_wheel.py": "test_a_mutant_is_rejected",
    "tests/claims/test_wheel.py": "test_a_wrong_wheel_is_rejected",
}
"""Per file of examples on a wheel the test that runs each example on the wheels that it rejects."""
PLANTED = "tests/claims/test_controls.py::test_a_planted_change_is_rejected"


@cache
def collected(files: frozenset[str]) -> dict[str, str]:
    """Per test of these files, and per parametrised test without its parameters, when it runs."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.claims.collecting", "--collect-only"]
    command += ["-q", "-n", "0", "-m", "", "-p", "no:cacheprovider", *sorted(files)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stdout + run.stderr)
    found: dict[str, str] = {}
    for profile, node in re.findall(r"^collected (\w+) (.+)$", run.stdout, re.MULTILINE):
        for name in {node, node.partition("[")[0]}:
            found[name] = min(profile, found.get(name, "never"), key=PROFILES.index)
    return found


@cache
def tests() -> dict[str, str]:
    """The same for all files of tests that rows and controls name, where they exist."""
    named = [
        PLANTED.partition("::")[0],
        *(one.file for row in rows() for one in row.by if one.is_test),
    ]
    named += [node.partition("::")[0] for pair in controls().items() for node in pair]
    return collected(frozenset(file for file in named if (ROOT / file).exists()))


@cache
def tables(file: str) -> dict:
    """A specification's TOML with all its configs and mutants; empty if there is no such file.

    A mutant has the fields ``decision``, its decision's name, and ``file``, where it is declared.
    """
    path = ROOT / file
    if not path.exists():
        return {}
    mechanism = project.read(path)
    found = tomllib.loads(path.read_text())
    properties = {name: asdict(of) for name, of in mechanism.properties.items()}
    fields = ("scenario", "property", "expect", "profile")
    configs = {
        name: {field: value for field in fields if (value := getattr(config, field)) is not None}
        for name, config in mechanism.configs.items()
    }
    mutants: dict[str, dict] = {}
    for decision in decisions.find(ROOT / "mutants" / name_of(path.stem), {}).values():
        where = decision.file.relative_to(ROOT).as_posix()
        own = {"decision": decision.name, "file": where}
        mutants |= {name: {**entry, **own} for name, entry in decision.mutants.items()}
    return found | {"properties": properties, "configs": configs, "mutants": mutants}


def declared(one: Check) -> str:
    """The file that declares an entry: for a mutant that of its decision."""
    entry = {} if one.is_test else tables(one.file).get(one.name, {}).get(one.key, {})
    return entry.get("file", one.file)


def exists(one: Check) -> bool:
    return one.node in tests() if one.is_test else one.key in tables(one.file).get(one.name, {})


def slow(entry: dict) -> bool:
    return "nightly" in (entry.get("profile"), entry.get("profile"))


def nightly(one: Check) -> bool:
    """Whether only ``make nightly`` runs this check."""
    if one.is_test:
        return tests().get(one.node) == "nightly"
    return slow(tables(one.file).get(one.name, {}).get(one.key, {}))


def violated(entry: dict) -> str | None:
    """The property that an entry of ``configs`` or ``mutants`` expects to be violated."""
    expected = "decision" in entry or entry.get("expect") == "violated"
    return entry.get("property") if expected and "equivalent" not in entry else None


def control(one: Check) -> str | None:
    """What shows that a check can fail, by name; None if nothing does. Only a control of the fast
    profile counts for a fast check.

    A test names its control in ``controls.toml``. An example on a wheel has the wheels that it
    rejects. For an entry of a specification's TOML the control is another entry of the same file
    that demands the opposite verdict on the same property, decision or scenario. For other tests
    ``tests/claims/test_controls.py`` plants a change of the implementation.
    """
    if one.node in controls():
        node = controls()[one.node]
        return node if runs_with(node, one) else None
    if not one.is_test:
        return opposite(one)
    example = re.fullmatch(r"test_wheel\[(.+)\]", one.name)
    rejects = f"{PLANTED}[{one.node.removeprefix('tests/')}]"
    if example:
        rejects = f"{one.file}::{REJECTING[one.file]}[{example[1]}-"
    return first(node for node in tests() if node.startswith(rejects) and runs_with(node, one))


def runs_with(node: str, one: Check) -> bool:
    """Whether a test runs whenever a check does."""
    return tests().get(node) in (("fast", "nightly") if nightly(one) else ("fast",))


def opposite(one: Check) -> str | None:
    """The entry of the same TOML, as ``table.key``, that shows that this entry can fail."""
    entry, table = tables(one.file)[one.name][one.key], tables(one.file)
    others = {
        f"{name}.{key}": other
        for name in ("configs", "mutants")
        for key, other in table.get(name, {}).items()
        if (nightly(one) or not slow(other)) and (name, key) != (one.name, one.key)
    }
    rejected = {name: other for name, other in others.items() if violated(other)}
    broken = violated(entry)
    if broken is not None:  # it demands a violation: something must hold this property
        if not table["properties"][broken].get("holds", True):
            return None
        return first(
            name for name in others if name.startswith("configs.") and name not in rejected
        )
    named = one.key if one.name == "properties" else entry.get("property")
    if named is not None:
        return first(name for name, other in rejected.items() if violated(other) == named)
    scenario = entry.get("scenario", one.key)
    alike = [
        name
        for name, other in rejected.items()
        if other.get("decision", "") == entry.get("decision")
    ]
    alike += [name for name, other in rejected.items() if other.get("scenario") == scenario]
    return first(alike + list(rejected))


def first(names: Iterable[str]) -> str | None:
    return next(iter(names), None)


def flaws(one: Check) -> list[str]:
    """What is wrong with a check that a row names."""
    name = one.node if one.is_test else f"{one.file}: {one.label}"
    if not exists(one):
        return [f"{name}: there is no such check"]
    if one.is_test and tests()[one.node] == "never":
        return [f"{name}: this check is never run"]
    if control(one) is None:
        return [f"{name}: nothing shows that this check can fail"]
    return []


def reference_flaws(references: Iterable[str]) -> list[str]:
    """The same for checks as the data names them."""
    return [flaw for reference in references for flaw in flaws(check(reference))]
