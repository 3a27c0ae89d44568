"""The checks of a mechanism in the JVM: one name each, as its row has it."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase

from wheelproof.decisions.read import names_of
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.jvm.declaration import Binding, Change, find
from wheelproof.project.mechanism import Config, Mechanism, Mutant

SITES, SCENARIO, FINE, CHANGE = "sites", "scenario", "fine", "change"
REJECTED, PROPERTY, RACES, COMPOSED = "rejected", "property", "races", "composed"
CLASSES = "classes"
FOLLOWED = 15_000
"""Distinct states up to which a nightly config is followed on every release."""
TOGETHER = 3_000
"""Distinct states up to which nightly scenarios share a process."""


@dataclass(frozen=True)
class Task:
    """One check."""

    name: str
    binding: Binding
    release: str
    kind: str
    subject: str
    """The scenario, change or config; "" for the table of sites."""
    profile: str
    scenario: str = ""
    """The scenario of the run, or ""."""


def tasks(mechanism: Mechanism, release: str = "") -> dict[str, Task]:
    """Every check of a mechanism by its name; ``release``: of this one only."""
    out: dict[str, Task] = {}
    bindings = [item for item in find(mechanism.root).values() if item.mechanism == mechanism.name]
    for binding in bindings:
        for version in binding.releases:
            if release in ("", version):
                beside = [item for item in bindings if version in item.releases and not item.below]
                several = len(beside) > 1
                for task in of_release(binding, version, mechanism, several):
                    if task.name in out:
                        raise UsageError(f"{binding.file}: two checks are named {task.name}.")
                    out[task.name] = task
    return out


def of_release(
    binding: Binding, release: str, mechanism: Mechanism, several: bool = False
) -> list[Task]:
    """The checks on one release: scenarios, properties, the table of sites, races, changes.

    Releases behind the first one have the scenarios of the fast profile only. One whose class files
    are those of another has nothing but the comparison of these. A config that must
    violate an invariant or deadlock is followed on every release, but for the largest ones.
    ``several``: another binding has this release, too, so that rows of all classes have the
    binding's name.
    """
    first = release == binding.releases[0]

    def task(kind: str, subject: str, fast: bool) -> Task:
        scenario, name = subject, subject or (f"{kind} {binding.name}" if several else kind)
        if kind == PROPERTY:
            run = violation(mechanism, subject)
            scenario = run.scenario
            if subject in mechanism.scenarios:
                name = f"{subject} {run.property}"
        ending = f"@{release}" + (" fine" if kind == FINE else "")
        if binding.below and kind in (COMPOSED, SITES, RACES, CLASSES):
            ending = f" in full{ending}"
        profile = binding.profile if fast and first else "nightly"
        return Task(f"{name}{ending}", binding, release, kind, subject, profile, scenario)

    if release in binding.same:
        return [task(CLASSES, "", True)]
    names = [*binding.fast, *binding.rejects]
    names += [name for change in binding.changes.values() for name in change.scenarios]
    if unknown := sorted(set(names) - set(mechanism.scenarios)):
        raise UsageError(f"{binding.file}: no scenario is named {', '.join(unknown)}.")
    for key, change in binding.changes.items():
        refuse_unshown(mechanism, binding, key, change)
    scenarios = [name for name in binding.scenarios(mechanism) if first or name in binding.fast]
    changes = [
        task(CHANGE, name, change.profile == "fast") for name, change in binding.changes.items()
    ]
    if binding.below:
        checks = [task(COMPOSED, name, name in binding.fast) for name in scenarios]
        return [*checks, task(SITES, "", True), task(RACES, "", True), *changes]
    checks = [task(SCENARIO, name, name in binding.fast) for name in scenarios]
    checks += [task(REJECTED, name, True) for name in binding.rejects]
    possible = binding.scenarios(mechanism)
    for config in mechanism.configs.values():
        if config.scenario in possible and has_replay(config, mechanism):
            fast = config.profile == "fast"
            if first or fast or mechanism.sizes.get(config.scenario, 0) <= FOLLOWED:
                checks.append(task(PROPERTY, config.name, fast and config.scenario in binding.fast))
    lacking = names_of(binding.without)
    for mutant in mechanism.mutants.values():
        shows = mutant.scenario in possible and has_a_run(mechanism, mutant.property)
        if mutant.decision in lacking and shows:
            checks.append(task(PROPERTY, mutant.name, mutant.scenario in binding.fast))
    checks += [task(SITES, "", True), task(RACES, "", True)]
    fine = [
        name
        for name in scenarios
        if first and not any(fnmatchcase(name, pattern) for pattern in binding.coarse)
    ]
    checks += [task(FINE, name, False) for name in fine]
    return checks + changes


def violation(mechanism: Mechanism, name: str) -> Config | Mutant:
    """The config, or the absence of a decision, that violates a property on classes."""
    return mechanism.configs.get(name) or mechanism.mutants[name]


def has_replay(config: Config, mechanism: Mechanism) -> bool:
    """Whether a config's counterexample is a run that compiled classes can follow to its end."""
    is_refuted = config.expect == "violated" and not config.without
    return is_refuted and has_a_run(mechanism, config.property)


def has_a_run(mechanism: Mechanism, name: str | None) -> bool:
    """Whether a property, if there is one, is violated by a run that ends."""
    return name is not None and mechanism.properties[name].kind in ("invariant", "deadlock")


def broken_without(mechanism: Mechanism, change: Change) -> str | None:
    """The property that breaks without the decision that changed classes lack.

    Only one of which a run shows it: a liveness property has no last step that could be followed.
    """
    return next(
        (
            mutant.property
            for mutant in mechanism.mutants.values()
            if mutant.decision == change.without
            and mutant.scenario in change.scenarios
            and has_a_run(mechanism, mutant.property)
        ),
        None,
    )


def refuse_unshown(mechanism: Mechanism, binding: Binding, key: str, change: Change) -> None:
    """UsageError for changed classes whose missing decision shows in none of their scenarios."""
    shown_in = {
        mutant.scenario
        for mutant in mechanism.mutants.values()
        if mutant.decision == change.without and has_a_run(mechanism, mutant.property)
    }
    if shown_in and not shown_in & set(change.scenarios):
        raise UsageError(
            f"{binding.file}: in no scenario of changes.{key} a property breaks without "
            f"{change.without}.",
            f"Name one of {', '.join(sorted(shown_in))} there.",
        )


def groups(mechanism: Mechanism, profile: str) -> list[list[Task]]:
    """The checks of a profile, those together that share a process.

    The coverage of sites and the races are judged per process. That process runs all fast scenarios
    of its release, and all scenarios that it must reject. Other large scenarios have a process
    each.
    """
    processes: dict[tuple[str, str], list[Task]] = {}
    alone = []
    for task in tasks(mechanism).values():
        if task.profile == "nightly" and profile == "fast":
            continue
        by_sites = task.kind == REJECTED or (
            task.kind != FINE and task.subject in task.binding.fast
        )
        if not by_sites and mechanism.sizes.get(task.scenario, 0) > TOGETHER:
            alone.append([task])
        else:
            processes.setdefault((task.binding.name, task.release), []).append(task)
    return [*processes.values(), *alone]


def select(
    mechanisms: Iterable[Mechanism],
    names: Set[str],
    release: str,
    fine: bool,
    every: bool = False,
    first: bool = False,
) -> list[tuple[str, str]]:
    """The checks that the command line means, as (mechanism, name).

    ``names``: of checks, scenarios, configs or changes. Without any the checks are the fast
    profile's, or with ``fine`` or ``every`` all of that kind. ``first``: only those on the release
    that a binding is made for, its first one.
    """
    pairs = [(item.name, task) for item in mechanisms for task in tasks(item).values()]
    if not pairs:
        raise NothingChecked("No compiled classes are declared.", "Write jvm/NAME.toml.")
    releases = {task.release for _, task in pairs}
    if release and release not in releases:
        raise UsageError(
            f"There is no release {release}.", f"Known: {', '.join(sorted(releases))}."
        )
    kind = FINE if fine else SCENARIO

    def matches(task: Task) -> bool:
        if first and task.release != task.binding.releases[0]:
            return False
        if names:
            return bool({task.name, task.subject} & names) and (task.kind == FINE) == fine
        if every and not fine:
            return task.kind in (SCENARIO, COMPOSED)
        return task.kind == kind if fine else task.profile == "fast"

    selection = [
        (mechanism, task)
        for mechanism, task in pairs
        if release in ("", task.release) and matches(task)
    ]
    subjects = {name for _, task in selection for name in (task.name, task.subject)}
    if unknown := sorted(names - subjects):
        raise UsageError(f"No such check runs on compiled classes: {', '.join(unknown)}.")
    return [(mechanism, task.name) for mechanism, task in selection]
