"""Reading ``jvm/NAME.toml``: a mechanism's classes, and which instruction is which label."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from wheelproof import reading
from wheelproof.artifacts import Artifact
from wheelproof.errors import UsageError
from wheelproof.names import WORD, is_word
from wheelproof.project.mechanism import PROFILES, Mechanism

FOLDER = "jvm"
RELEASES = "releases.toml"
REASONS = (
    "unlabelled",
    "opaque",
    "within",
    "races",
    "apart",
    "absent",
    "unused",
    "rejects",
    "joined",
)
"""The tables of a file that give a reason for each key."""
BISIMULATION = "Bisimulation"
"""The property that a difference violates."""
ANY = "*"
"""Stands in a site for the name of a lambda, which is the compiler's."""


@dataclass(frozen=True)
class Change:
    """A seeded change of a class file, which each of the scenarios must reject."""

    name: str
    about: str
    scenarios: tuple[str, ...]
    fine: bool = False
    """Whether the change shows only where every access is a step."""
    races: tuple[str, ...] = ()
    """The fields on which there must be data races, instead of another state."""
    without: str = ""
    """The decision that the changed classes lack. They behave as the mechanism without it."""
    profile: str = "fast"
    """The profile that runs the change."""


@dataclass(frozen=True)
class Binding:
    """One file ``jvm/NAME.toml``. Names of classes are internal ones (``a/b/C``)."""

    name: str
    file: Path
    mechanism: str
    releases: tuple[str, ...]
    """The releases; the first one is that of the fast profile, if ``profile`` is "fast"."""
    classes: tuple[str, ...]
    harness: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]
    """Label -> sites, or patterns of them with a ``*``."""
    same: Mapping[str, str] = field(default_factory=dict)
    """Release -> an earlier one of the list whose class files it has, byte for byte."""
    fine: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The labels that differ where each access is a step."""
    below: tuple[str, ...] = ()
    """The sites of operations below, from the labels of other files."""
    inside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Label -> the calls of operations below that are its step, whose own steps are on."""
    halfway: Mapping[str, str] = field(default_factory=dict)
    """Variable that shows an operation's own locks while it is under way -> reason."""
    calls: tuple[str, ...] = ()
    redirect: tuple[tuple[str, str, str], ...] = ()
    """(class, static field, static field that stands for it)."""
    unlabelled: Mapping[str, str] = field(default_factory=dict)
    """Pattern of sites without a label -> reason."""
    opaque: Mapping[str, str] = field(default_factory=dict)
    """Class of which only the class is part of the state -> reason."""
    within: Mapping[str, str] = field(default_factory=dict)
    """Pattern of sites that are no step of their own even where each access is one -> reason."""
    delayed: tuple[str, ...] = ()
    """"Class.field" of the fields whose stores may reach memory late."""
    names: tuple[str, ...] = ()
    """Names of the model's values, beside those of the scenario."""
    races: Mapping[str, str] = field(default_factory=dict)
    """Field on which there are data races -> reason."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """"Class.field" here -> the field of the Python implementation.

    Only for names that differ by more than their spelling.
    """
    apart: Mapping[str, str] = field(default_factory=dict)
    """Field that is compared with no field of the implementation -> reason."""
    profile: str = "fast"
    fast: tuple[str, ...] = ()
    """Scenarios of the fast profile."""
    coarse: tuple[str, ...] = ()
    """Scenarios that are too large for ``fine``."""
    where: Mapping[str, str] = field(default_factory=dict)
    """Field of a scenario -> the value that it must have throughout."""
    folders: tuple[str, ...] = ()
    """Folders of the Java sources, beside the file; one of its name where there is none."""
    patch: tuple[str, ...] = ()
    """Diffs against one source file of the release's jar of sources, in their order.

    Their paths are below the project's folder. The classes compiled from it stand before the jars.
    """
    without: str = ""
    """The decisions that these classes lack, with ``-and-`` between them."""
    absent: Mapping[str, str] = field(default_factory=dict)
    unused: Mapping[str, str] = field(default_factory=dict)
    joined: Mapping[str, str] = field(default_factory=dict)
    """"STEP NEXT", two labels of a thread that are one step of these classes -> reason."""
    rejects: Mapping[str, str] = field(default_factory=dict)
    """Scenario of another machine, which these classes must not be -> reason."""
    renamed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Scenario of ``rejects`` -> label here -> label there of the same step.

    The two machines then differ by more than names.
    """
    changes_class: str = ""
    changes: Mapping[str, Change] = field(default_factory=dict)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The labels of each joined pair."""
        return [(step, following) for step, following in map(str.split, self.joined)]

    @property
    def sources(self) -> list[Path]:
        """The Java sources of the harness."""
        folders = self.folders or (self.name,)
        return sorted(file for name in folders for file in (self.file.parent / name).glob("*.java"))

    def sites(self, fine: bool) -> dict[str, tuple[str, ...]]:
        """label -> sites in this mode."""
        return {**self.labels, **(self.fine if fine else {})}

    def at(self, keys: Collection[str]) -> Binding:
        """The binding with the sites of these keys in the place of its patterns.

        A pattern that none of them fits stays.
        """

        def there(site: str) -> list[str]:
            return ANY in site and [key for key in keys if fnmatchcase(key, site)] or [site]

        def with_sites(table: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
            return {
                label: tuple(key for site in places for key in there(site))
                for label, places in table.items()
            }

        return replace(self, labels=with_sites(self.labels), fine=with_sites(self.fine))

    def beside(self, scenario: str) -> Binding:
        """The binding with the names that its steps have in the machine of a scenario."""
        names = self.renamed.get(scenario, {})

        def with_names(sites: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
            return {names.get(label, label): places for label, places in sites.items()}

        return replace(
            self,
            labels=with_names(self.labels),
            fine=with_names(self.fine),
            inside=with_names(self.inside),
        )

    def scenarios(self, mechanism: Mechanism) -> list[str]:
        """The mechanism's scenarios that these classes are meant for."""
        return [
            name
            for name, scenario in mechanism.scenarios.items()
            if name not in self.absent
            and all(values(scenario[key]) == {value} for key, value in self.where.items())
        ]


def values(item: object) -> set[object]:
    """The values of a table, or the value itself."""
    return set(item.values()) if isinstance(item, Mapping) else {item}


def find(root: Path) -> dict[str, Binding]:
    """Every binding of a project by its name; none where it has no folder ``jvm``."""
    files = sorted(path for path in (root / FOLDER).glob("*.toml") if path.name != RELEASES)
    return {file.stem: read(file) for file in files}


def artifacts(root: Path, release: str) -> list[Artifact]:
    """The pinned jars of a release."""
    file = root / FOLDER / RELEASES
    table = load(file).get(release)
    if not isinstance(table, dict):
        raise UsageError(f"{file}: there is no release {release!r}.", "Pin its jars by SHA-256.")
    return [Artifact(coordinate, sha256) for coordinate, sha256 in table.items()]


def load(file: Path) -> dict[str, Any]:
    """A TOML file; UsageError where it is none."""
    return reading.tables(file)


def read(file: Path) -> Binding:
    """Read and check one file; a UsageError names the file and the field."""
    data = fields(file)
    names = set(Binding.__dataclass_fields__) - {"name", "file"} | {"package"}
    if extra := sorted(set(data) - names):
        raise UsageError(
            f"{file}: unknown field {', '.join(extra)}.",
            f"Known fields: {', '.join(sorted(names))}.",
        )
    for name in ("mechanism", "releases", "classes", "harness", "labels"):
        if name not in data:
            raise UsageError(f"{file}: the field {name} is missing.", "See docs/jvm.md.")
    changes = {name: change(file, name, value) for name, value in data.get("changes", {}).items()}
    for name in (file.stem, *data["releases"], *changes, *data["labels"]):
        if not is_word(name):
            raise UsageError(f"{file}: {name!r} is no name.", f"Names have {WORD}.")
    profile = profile_of(file, data)
    package = data.pop("package", "")

    def internal(name: str) -> str:
        return name if "/" in name or not package else f"{package}/{name}"

    def strings(name: str) -> tuple[str, ...]:
        return tuple(data.get(name, ()))

    def sites(name: str) -> dict[str, tuple[str, ...]]:
        return {label: tuple(places) for label, places in data.get(name, {}).items()}

    redirect = data.get("redirect", [])
    return Binding(
        name=file.stem,
        file=file,
        mechanism=data["mechanism"],
        releases=strings("releases"),
        same=same(file, data),
        classes=tuple(internal(name) for name in data["classes"]),
        harness=tuple(internal(name) for name in data["harness"]),
        labels=sites("labels"),
        fine=sites("fine"),
        below=below(file, data.get("below", {})),
        inside=sites("inside"),
        halfway=data.get("halfway", {}),
        calls=strings("calls"),
        redirect=tuple((internal(table["in"]), table["field"], table["by"]) for table in redirect),
        unlabelled=data.get("unlabelled", {}),
        opaque=data.get("opaque", {}),
        within=data.get("within", {}),
        delayed=strings("delayed"),
        names=strings("names"),
        races=data.get("races", {}),
        fields=data.get("fields", {}),
        apart=data.get("apart", {}),
        profile=profile,
        fast=strings("fast"),
        coarse=strings("coarse"),
        where=data.get("where", {}),
        folders=strings("folders"),
        patch=strings("patch"),
        without=data.get("without", ""),
        absent=data.get("absent", {}),
        unused=data.get("unused", {}),
        joined=joined_pairs(file, data),
        rejects=data.get("rejects", {}),
        renamed=label_names(file, data),
        changes_class=data.get("changes_class", ""),
        changes=changes,
    )


def same(file: Path, data: Mapping[str, Any]) -> dict[str, str]:
    """The table ``same`` of the file's own releases: one that is like another has others."""
    releases = list(data["releases"])
    earlier = {
        release: base for release, base in data.get("same", {}).items() if release in releases
    }
    for release, base in earlier.items():
        if base in earlier or base not in releases[: releases.index(release)]:
            raise UsageError(
                f"{file}: same: {release} cannot have the classes of {base}.",
                "Name an earlier release of the field releases, which has classes of its own.",
            )
    return earlier


def joined_pairs(file: Path, data: Mapping[str, Any]) -> dict[str, str]:
    """The table ``joined``: its keys are two labels each."""
    pairs: dict[str, str] = data.get("joined", {})
    for pair in pairs:
        if len(pair.split()) != 2:
            raise UsageError(f"{file}: joined: {pair!r} is no pair of labels.")
    return pairs


def label_names(file: Path, data: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The table ``renamed``: it names scenarios of ``rejects``, and labels of the file."""
    tables: dict[str, dict[str, str]] = data.get("renamed", {})
    for scenario, names in tables.items():
        if scenario not in data.get("rejects", {}):
            raise UsageError(f"{file}: renamed.{scenario} is no scenario of rejects.")
        if unknown := sorted(set(names) - set(data["labels"])):
            raise UsageError(f"{file}: renamed.{scenario}: there is no label {', '.join(unknown)}.")
        if clashes := sorted(set(names.values()) & set(data["labels"])):
            raise UsageError(
                f"{file}: renamed.{scenario}: {', '.join(clashes)} has sites of its own."
            )
    return tables


def below(file: Path, labels: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The sites of labels of other files: ``labels`` has their names -> patterns of labels."""
    sites = []
    for name, patterns in labels.items():
        for label, places in fields(file.with_name(f"{name}.toml"))["labels"].items():
            if any(fnmatchcase(label, pattern) for pattern in patterns):
                sites += places
    if labels and not sites:
        raise UsageError(f"{file}: the field below names no label of another file.")
    return tuple(sites)


def fields(file: Path) -> dict[str, Any]:
    """The fields of a file. Fields that it lacks come from the file named by ``like``.

    Tables of labels and of reasons are joined key by key. A label without sites, or an empty
    reason, takes that of the other file away.
    """
    data = load(file)
    base_name = data.pop("like", "")
    if not base_name:
        return data
    base = file.with_name(f"{base_name}.toml")
    if not base.is_file():
        raise UsageError(f"{file}: there is no {base.name}, which it is like.")
    merged = {**fields(base), **data}
    for name in ("labels", "fine", *REASONS):
        merged_table = {**fields(base).get(name, {}), **data.get(name, {})}
        merged[name] = {key: value for key, value in merged_table.items() if value}
    base_names = fields(base).get("renamed", {})
    merged["renamed"] = {
        **{name: names for name, names in base_names.items() if name in merged["rejects"]},
        **data.get("renamed", {}),
    }
    return merged


def change(file: Path, name: str, data: Mapping[str, Any]) -> Change:
    """One table ``changes.NAME``."""
    names = set(Change.__dataclass_fields__) - {"name"}
    if extra := sorted(set(data) - names):
        raise UsageError(f"{file}: changes.{name} has the unknown field {', '.join(extra)}.")
    for key in ("about", "scenarios"):
        if key not in data:
            raise UsageError(f"{file}: changes.{name} lacks the field {key}.")
    profile_of(file, data)
    lists = {key: tuple(data[key]) for key in ("scenarios", "races") if key in data}
    return Change(name, **{**data, **lists})


def profile_of(file: Path, data: Mapping[str, Any]) -> str:
    """The field ``profile`` of a table, "fast" where it is absent."""
    profile = str(data.get("profile", "fast"))
    if profile not in PROFILES:
        raise UsageError(
            f"{file}: profile is {profile!r}; it must be one of {', '.join(PROFILES)}."
        )
    return profile
