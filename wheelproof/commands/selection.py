"""Which checks a run is limited to: those of named configs, mutants and scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wheelproof.commands.options import check_known
from wheelproof.errors import UsageError
from wheelproof.project.mechanism import Mechanism


def split_names(option: str, values: Sequence[str] | None) -> list[str]:
    """The names of an option that is given several times, or once with commas.

    UsageError if it is given without any name.
    """
    entries = [name.strip() for names in values or [] for name in names.split(",") if name.strip()]
    if values and not entries:
        thing = option.removeprefix("--")
        raise UsageError(f"{option} names no {thing}.", "`wheelproof list` prints the names.")
    return entries


def selection(
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
    check_known("config", configs, [name for mechanism in every for name in mechanism.configs])
    check_known("mutant", mutants, [name for mechanism in every for name in mechanism.mutants])
    check_known(
        "scenario", scenarios, [name for mechanism in every for name in mechanism.scenarios]
    )
    if not (configs or mutants or scenarios):
        return frozenset()
    profiles: dict[tuple[str, str], str] = {}
    for mechanism in every:
        for name, its in _profiles(mechanism, configs, mutants, scenarios):
            profiles[mechanism.name, name] = its
    if not profiles:
        raise UsageError(
            f"No check of these names has the scenario {', '.join(scenarios)}.",
            "`wheelproof list` prints the scenario of each.",
        )
    choice = frozenset(
        key for key, its in profiles.items() if profile == "nightly" or its == "fast"
    )
    if not choice:
        raise UsageError(
            f"{', '.join(name for _, name in profiles)}: "
            "the nightly profile alone has these checks.",
            "Give --profile nightly too.",
        )
    return choice


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
