"""Reading ``jvm/NAME.toml``: a mechanism's classes, and which instruction is which label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True)
class Change:
    """A seeded change of a class file, which each of the scenarios must reject.

    ``fine``: only where every access is a step, and not otherwise. ``races``: the fields on which
    there must be data races, instead of another state. ``without``: the decision that the
    changed classes lack; the mechanism without it is what they are. ``profile``: where it is run.
    """

    name: str
    about: str
    scenarios: tuple[str, ...]
    fine: bool = False
    races: tuple[str, ...] = ()
    without: str = ""
    profile: str = "fast"


@dataclass(frozen=True)
class Binding:
    """One file ``jvm/NAME.toml``. Names of classes are internal ones (``a/b/C``).

    ``releases``: the first one is that of the fast profile, if ``profile`` is "fast".
    ``same``: release -> an earlier one of the list whose class files it has, byte for byte.
    ``labels``: label -> sites; ``fine``: the labels that differ where each access is a step.
    ``unlabelled``: pattern of sites without a label -> reason. ``opaque``: class of which only the
    class is part of the state -> reason. ``redirect``: (class, static field, static field that
    stands for it). ``within``: pattern of sites that are no step of their own even where each
    access is one -> reason. ``delayed``: "Class.field" of those whose stores may reach memory late.
    ``names``: of the model's values, beside those that the scenario has. ``races``: field on which
    there are data races -> reason. ``fields``: "Class.field" here -> that of the Python
    implementation, where the names differ by more than their spelling. ``apart``: those that are
    compared with no field of it -> reason.
    ``fast``: scenarios of the fast profile; ``coarse``: those too large for ``fine``.
    ``folders``: of the Java sources, beside the file; one of its name where there is none.
    ``where``: field of a scenario -> the value that it must have throughout.
    ``inside``: label -> the calls of operations below that are its step, whose own steps are on.
    ``below``: the sites of these, from the labels of other files. ``halfway``: variable that shows
    an operation's own locks while it is under way -> reason.
    ``joined``: "STEP NEXT", two labels of a thread that are one step of these classes -> reason.
    ``rejects``: scenario of another machine, which these classes must not be -> reason.
    ``renamed``: such a scenario -> label here -> label there of the same step, so that the two
    machines differ by more than names.
    ``patch``: a diff, below the project's folder, against one source file of the release's jar of
    sources. What it compiles to stands before the jars.
    """

    name: str
    file: Path
    mechanism: str
    releases: tuple[str, ...]
    classes: tuple[str, ...]
    harness: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]
    same: Mapping[str, str] = field(default_factory=dict)
    fine: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    below: tuple[str, ...] = ()
    inside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    halfway: Mapping[str, str] = field(default_factory=dict)
    calls: tuple[str, ...] = ()
    redirect: tuple[tuple[str, str, str], ...] = ()
    unlabelled: Mapping[str, str] = field(default_factory=dict)
    opaque: Mapping[str, str] = field(default_factory=dict)
    within: Mapping[str, str] = field(default_factory=dict)
    delayed: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    races: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    apart: Mapping[str, str] = field(default_factory=dict)
    profile: str = "fast"
    fast: tuple[str, ...] = ()
    coarse: tuple[str, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    patch: str = ""
    without: str = ""
    absent: Mapping[str, str] = field(default_factory=dict)
    unused: Mapping[str, str] = field(default_factory=dict)
    joined: Mapping[str, str] = field(default_factory=dict)
    rejects: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
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

    def beside(self, scenario: str) -> Binding:
        """The binding with the names that its steps have in the machine of a scenario."""
        names = self.renamed.get(scenario, {})

        def of(sites: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
            return {names.get(label, label): places for label, places in sites.items()}

        return replace(self, labels=of(self.labels), fine=of(self.fine), inside=of(self.inside))

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
    known = set(Binding.__dataclass_fields__) - {"name", "file"} | {"package"}
    if extra := sorted(set(data) - known):
        raise UsageError(
            f"{file}: unknown field {', '.join(extra)}.",
            f"Known fields: {', '.join(sorted(known))}.",
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

    def listed(name: str) -> tuple[str, ...]:
        return tuple(data.get(name, ()))

    def sites(name: str) -> dict[str, tuple[str, ...]]:
        return {label: tuple(places) for label, places in data.get(name, {}).items()}

    redirect = data.get("redirect", [])
    return Binding(
        name=file.stem,
        file=file,
        mechanism=data["mechanism"],
        releases=listed("releases"),
        same=same(file, data),
        classes=tuple(internal(name) for name in data["classes"]),
        harness=tuple(internal(name) for name in data["harness"]),
        labels=sites("labels"),
        fine=sites("fine"),
        below=below(file, data.get("below", {})),
        inside=sites("inside"),
        halfway=data.get("halfway", {}),
        calls=listed("calls"),
        redirect=tuple((internal(each["in"]), each["field"], each["by"]) for each in redirect),
        unlabelled=data.get("unlabelled", {}),
        opaque=data.get("opaque", {}),
        within=data.get("within", {}),
        delayed=listed("delayed"),
        names=listed("names"),
        races=data.get("races", {}),
        fields=data.get("fields", {}),
        apart=data.get("apart", {}),
        profile=profile,
        fast=listed("fast"),
        coarse=listed("coarse"),
        where=data.get("where", {}),
        folders=listed("folders"),
        patch=data.get("patch", ""),
        without=data.get("without", ""),
        absent=data.get("absent", {}),
        unused=data.get("unused", {}),
        joined=joined(file, data),
        rejects=data.get("rejects", {}),
        renamed=renamed(file, data),
        changes_class=data.get("changes_class", ""),
        changes=changes,
    )


def same(file: Path, data: Mapping[str, Any]) -> dict[str, str]:
    """The table ``same`` of the file's own releases: one that is like another has others."""
    releases = list(data["releases"])
    found = {one: of for one, of in data.get("same", {}).items() if one in releases}
    for one, of in found.items():
        if of in found or of not in releases[: releases.index(one)]:
            raise UsageError(
                f"{file}: same: {one} cannot have the classes of {of}.",
                "Name an earlier release of the field releases, which has classes of its own.",
            )
    return found


def joined(file: Path, data: Mapping[str, Any]) -> dict[str, str]:
    """The table ``joined``: its keys are two labels each."""
    found: dict[str, str] = data.get("joined", {})
    for pair in found:
        if len(pair.split()) != 2:
            raise UsageError(f"{file}: joined: {pair!r} is no pair of labels.")
    return found


def renamed(file: Path, data: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The table ``renamed``: it names scenarios of ``rejects``, and labels of the file."""
    found: dict[str, dict[str, str]] = data.get("renamed", {})
    for scenario, names in found.items():
        if scenario not in data.get("rejects", {}):
            raise UsageError(f"{file}: renamed.{scenario} is no scenario of rejects.")
        if unknown := sorted(set(names) - set(data["labels"])):
            raise UsageError(f"{file}: renamed.{scenario}: there is no label {', '.join(unknown)}.")
        if taken := sorted(set(names.values()) & set(data["labels"])):
            raise UsageError(
                f"{file}: renamed.{scenario}: {', '.join(taken)} has sites of its own."
            )
    return found


def below(file: Path, wanted: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The sites of labels of other files: ``wanted`` has their names -> patterns of labels."""
    found = []
    for name, patterns in wanted.items():
        for label, places in fields(file.with_name(f"{name}.toml"))["labels"].items():
            if any(fnmatchcase(label, pattern) for pattern in patterns):
                found += places
    if wanted and not found:
        raise UsageError(f"{file}: the field below names no label of another file.")
    return tuple(found)


def fields(file: Path) -> dict[str, Any]:
    """The fields of a file, and of that which it is ``like`` those that it does not have itself.

    Tables of labels and of reasons are joined key by key. A label without sites, or an empty
    reason, takes that of the other file away.
    """
    data = load(file)
    other = data.pop("like", "")
    if not other:
        return data
    base = file.with_name(f"{other}.toml")
    if not base.is_file():
        raise UsageError(f"{file}: there is no {base.name}, which it is like.")
    joined = {**fields(base), **data}
    for name in ("labels", "fine", *REASONS):
        both = {**fields(base).get(name, {}), **data.get(name, {})}
        joined[name] = {key: value for key, value in both.items() if value}
    inherited = fields(base).get("renamed", {})
    joined["renamed"] = {
        **{name: names for name, names in inherited.items() if name in joined["rejects"]},
        **data.get("renamed", {}),
    }
    return joined


def change(file: Path, name: str, data: Mapping[str, Any]) -> Change:
    """One table ``changes.NAME``."""
    known = set(Change.__dataclass_fields__) - {"name"}
    if extra := sorted(set(data) - known):
        raise UsageError(f"{file}: changes.{name} has the unknown field {', '.join(extra)}.")
    for each in ("about", "scenarios"):
        if each not in data:
            raise UsageError(f"{file}: changes.{name} lacks the field {each}.")
    profile_of(file, data)
    lists = {each: tuple(data[each]) for each in ("scenarios", "races") if each in data}
    return Change(name, **{**data, **lists})


def profile_of(file: Path, data: Mapping[str, Any]) -> str:
    """The field ``profile`` of a table, "fast" where it is absent."""
    profile = str(data.get("profile", "fast"))
    if profile not in PROFILES:
        raise UsageError(
            f"{file}: profile is {profile!r}; it must be one of {', '.join(PROFILES)}."
        )
    return profile
