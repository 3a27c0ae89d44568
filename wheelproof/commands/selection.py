"""Which checks a run is limited to: those of named configs, mutants and scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wheelproof.commands.options import check_known
from wheelproof.errors import UsageError
from wheelproof.project.mechanism import Mechanism


def named(option: str, given: Sequence[str] | None) -> list[str]:
    """The names of an option that is given several times, or once with commas.

    UsageError if it is given without any name.
    """
    found = [name.strip() for names in given or [] for name in names.split(",") if name.strip()]
    if given and not found:
        what = option.removeprefix("--")
        raise UsageError(f"{option} names no {what}.", "`wheelproof list` prints the names.")
    return found


def selected(
    mechanisms: Mapping[str, Mechanism],
    profile: str,
    configs: Sequence[str],
    mutants: Sequence[str],
    scenarios: Sequence[str],
) -> frozenset[tuple[str, str]]:
    """The checks as (mechanism, name); none at all stands for every check.

    Raises UsageError for an unknown name, and for a check that the profile does not have.
    """
    every = list(mechanisms.values())
    check_known("config", configs, [name for each in every for name in each.configs])
    check_known("mutant", mutants, [name for each in every for name in each.mutants])
    check_known("scenario", scenarios, [name for each in every for name in each.scenarios])
    if not (configs or mutants or scenarios):
        return frozenset()
    found: dict[tuple[str, str], str] = {}
    for mechanism in every:
        for name, its in _profiles(mechanism, configs, mutants, scenarios):
            found[mechanism.name, name] = its
    if not found:
        raise UsageError(
            f"No check of these names has the scenario {', '.join(scenarios)}.",
            "`wheelproof list` prints the scenario of each.",
        )
    chosen = frozenset(key for key, its in found.items() if profile == "nightly" or its == "fast")
    if not chosen:
        raise UsageError(
            f"{', '.join(name for _, name in found)}: the nightly profile alone has these checks.",
            "Give --profile nightly too.",
        )
    return chosen


def _profiles(
    mechanism: Mechanism,
    configs: Sequence[str],
    mutants: Sequence[str],
    scenarios: Sequence[str],
) -> Iterator[tuple[str, str]]:
    """The chosen checks of a mechanism with their profiles.

    A config of a chosen scenario is chosen unless configs are named, a mutant unless mutants are.
    """
    anywhere = not (configs or mutants)
    for config in mechanism.configs.values():
        if (config.name in configs or anywhere) and (not scenarios or config.scenario in scenarios):
            yield config.name, config.profile
    for mutant in mechanism.mutants.values():
        if (mutant.name in mutants or anywhere) and (not scenarios or mutant.scenario in scenarios):
            yield mutant.name, mutant.profile
    if anywhere:
        for entry in mechanism.composed.values():
            if entry.scenario in scenarios:
                yield entry.name, entry.profile
