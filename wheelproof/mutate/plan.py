"""The plan: the files of each mechanism and artefact, and the checks that depend on a file.

A file belongs to the mechanism that has its name or, in its harness, names it as its SUBJECT. A
file that serves several (a queue, a clock, the model's base class) is a group of its own, and every
mechanism that loads it checks it; one of the implementation that no mechanism loads has its unit
tests alone.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from wheelproof import isolated, reading
from wheelproof.checks import jobs, prove
from wheelproof.checks.job import (
    ComposedJob,
    EdgesJob,
    FaultJob,
    Job,
    LivenessJob,
    MutantJob,
    PropertiesJob,
    RefinementJob,
    RunsJob,
    SafetyJob,
    TheoremsJob,
)
from wheelproof.isolated import Finder, apart
from wheelproof.jvm import declaration
from wheelproof.jvm.tasks import CLASSES, tasks
from wheelproof.mutate.change import ARTEFACTS, PACKAGES, TESTED
from wheelproof.mutate.group import LATE, Check, Group
from wheelproof.mutate.unit_tests import UnitTests, imported
from wheelproof.project.mechanism import Mechanism, name_of
from wheelproof.prove.variants import Project, within
from wheelproof.python import ControlledImplementation
from wheelproof.tlc import mc

SMALL = 1_500
"""States up to which a bisimulation runs before the unit tests; a larger one costs more."""


class Plan:
    """A project's groups and checks.

    ``profile``: which configs count; ``bound``: those with more distinct states are left out.

    ``tests``: whether unit tests take part; ``stage``: the last stage that does.
    """

    def __init__(
        self,
        root: Path,
        mechanisms: Mapping[str, Mechanism],
        profile: str = "fast",
        bound: int = 100_000,
        tests: bool = True,
        stage: int = 9,
    ) -> None:
        self._tests = UnitTests(root)
        self.root, self.mechanisms, self.profile, self.bound, self.tests, self.stage = (
            root,
            mechanisms,
            profile,
            bound,
            tests,
            stage,
        )
        self.loads = {mechanism: self._controlled_files(mechanism) for mechanism in mechanisms}
        self.subjects = {
            mechanism: isolated.load(root, f"harness.{mechanism}").SUBJECT
            for mechanism in mechanisms
        }
        self.uses = {mechanism: self._imports(f"harness.{mechanism}") for mechanism in mechanisms}
        self.modelled = {mechanism: self._imports(f"model.{mechanism}") for mechanism in mechanisms}
        self.theories = self._theories()
        self.proved = {
            mechanism: {
                name.replace(".", "/") + ".py"
                for file in files
                if file.startswith("proofs/")
                for name in imported(self.root, self.root / file)
            }
            for mechanism, files in self.theories.items()
        }
        self.bindings = {
            mechanism: {
                file for task in tasks(item).values() for file in self._like(task.binding.file)
            }
            for mechanism, item in mechanisms.items()
        }
        self.specs = {
            mechanism: {
                file.relative_to(root).as_posix()
                for module in self._modules(item)
                for file in mc.closure(module)
                if file.parent != mc.LIBRARY
            }
            for mechanism, item in mechanisms.items()
        }

    # -- who has a file

    def _controlled_files(self, mechanism: str) -> set[str]:
        """The files that the controlled runtime loads for a mechanism."""
        return {
            file
            for file, of_line in ControlledImplementation.load(
                self.root, mechanism, lint=False
            ).labels.items()
            if not file.endswith("__init__.py")
        }

    def _imports(self, module: str) -> set[str]:
        """The project's files that a module imports, itself and all that these import."""
        names: set[str] = set()
        waiting = [module]
        while waiting:
            name = waiting.pop()
            file = self.root.joinpath(*name.split(".")).with_suffix(".py")
            path = file.relative_to(self.root).as_posix()
            if path in names or not file.is_file():
                continue
            names.add(path)
            waiting += imported(self.root, file)
        return names

    def _theories(self) -> dict[str, set[str]]:
        """Mechanism -> the files that its theorems are made from."""
        out: dict[str, set[str]] = {}
        if not (self.root / "proofs").is_dir():
            return out
        self.declared = prove.declared(self.root)
        project = Project(self.root)
        for file in sorted((self.root / "proofs").rglob("*.py")):
            text = reading.text(file)
            if not re.search(r"^THEORY\b", text, re.MULTILINE):
                continue
            module = ".".join(file.relative_to(self.root).with_suffix("").parts)
            with apart(Finder(self.root)), within(project):
                mechanism = importlib.import_module(module).THEORY.mechanism
            out.setdefault(mechanism, set()).update(self._imports(module))
        for name in self.mechanisms:
            view = f"proofs.{name}.view"
            if imports := self._imports(view):
                out.setdefault(name, set()).update(imports)
        return out

    def _like(self, file: Path) -> set[str]:
        """A binding's file, and those from which it takes fields."""
        data = declaration.load(file)
        names_ = {*data.get("below", {}), *([data["like"]] if data.get("like") else [])}
        files = {file.relative_to(self.root).as_posix()}
        return files.union(*(self._like(file.with_name(f"{name}.toml")) for name in names_))

    def _modules(self, item: Mechanism) -> Iterable[Path]:
        names = {config.module for config in item.configs.values() if config.module}
        return [
            *dict.fromkeys((item.spec, item.checked)),
            *(item.spec.with_name(f"{name}.tla") for name in sorted(names)),
        ]

    def seen_by(self, artefact: str, file: str) -> list[str]:
        """The mechanisms with a check that sees a file, its owner first."""
        tables = {
            "impl": self.uses,
            "harness": self.uses,
            "model": self.modelled,
            "spec": self.specs,
            "proofs": self.theories,
            "jvm": self.bindings,
        }
        mechanisms = [
            mechanism
            for mechanism in self.mechanisms
            if file in tables.get(artefact, {}).get(mechanism, ())
        ]
        name = self._name_prefix(artefact, file)
        return sorted(
            mechanisms,
            key=lambda mechanism: (
                mechanism != name,
                not name.startswith(mechanism),
                list(self.mechanisms).index(mechanism),
            ),
        )

    def _name_prefix(self, artefact: str, file: str) -> str:
        """The name that may begin with a mechanism's: of the file, or of a folder of proofs."""
        path = Path(file)
        if artefact == "proofs" and path.parent.name in self.mechanisms:
            return path.parent.name
        return name_of(path.stem) if artefact == "spec" else path.stem

    def owner(self, artefact: str, file: str, mechanisms: list[str]) -> str:
        """The mechanism that a file belongs to, else the file's own name.

        A file that unit tests alone judge belongs to its folder.
        """
        if artefact in TESTED:
            return Path(file).parent.name
        name = Path(file).stem
        module = ".".join(Path(file).with_suffix("").parts)
        title = self._name_prefix(artefact, file)
        mechanisms_named = [mechanism for mechanism in mechanisms if title.startswith(mechanism)]
        mechanisms_named += [
            mechanism
            for mechanism in mechanisms
            if artefact == "impl" and module in self.subjects[mechanism]
        ]
        if mechanisms_named:
            return max(mechanisms_named, key=len) if mechanisms_named[0] != name else name
        return (
            mechanisms[0]
            if artefact in ("spec", "jvm") or artefact == "proofs" and len(mechanisms) == 1
            else name
        )

    def groups(self, names: Iterable[str], artefacts: Iterable[str]) -> list[Group]:
        """The groups of these mechanisms; for empty ``names`` all, also of files of none."""
        names = list(names)
        groups: dict[tuple[str, str], list[str]] = {}
        for artefact in artefacts:
            for path in sources(self.root, artefact):
                file = path.relative_to(self.root).as_posix()
                if path.name == "__init__.py" or "__pycache__" in file:
                    continue
                mechanisms = self.seen_by(artefact, file)
                if not mechanisms and artefact not in ("impl", *TESTED):
                    continue  # nothing of `wheelproof verify` reads it
                mechanism = self.owner(artefact, file, mechanisms)
                if not names or mechanism in names:
                    groups.setdefault((mechanism, artefact), []).append(file)
        order = list(ARTEFACTS)
        return [
            Group(mechanism, artefact, tuple(files))
            for (mechanism, artefact), files in sorted(
                groups.items(), key=lambda pair: (order.index(pair[0][1]), pair[0][0])
            )
        ]

    # -- what checks it

    def checks(self, artefact: str, file: str) -> list[Check]:
        """The checks that can see a file, by stage, the smallest first within each."""
        out: list[Check] = []
        mechanisms = self.seen_by(artefact, file)
        owner = self.owner(artefact, file, mechanisms)
        for mechanism in mechanisms:
            fast = list(self._jobs(artefact, file, mechanism, mechanism != owner, self.profile))
            late = (
                []
                if mechanism != owner or self.profile == "nightly"
                else self._jobs(artefact, file, mechanism, False, "nightly")
            )
            fast += [
                replace(check, stage=LATE)
                for check in late
                if check.kind == "job" and check.job not in {check_.job for check_ in fast}
            ]
            out += [replace(check, size=check.job.weight if check.job else 0) for check in fast]
        if self.tests:
            out += self._tests.checks_of(artefact, file)
        return sorted(
            dict.fromkeys(check for check in out if check.stage <= self.stage),
            key=lambda check: (check.stage, check.size),
        )

    def _jobs(
        self, artefact: str, file: str, mechanism: str, is_other: bool, profile: str
    ) -> Iterable[Check]:
        declaration = self.mechanisms[mechanism]
        if artefact in ("impl", "harness"):
            is_controlled = file in self.loads[mechanism]
            if is_controlled:
                yield Check("labels", mechanism, 3 if is_other else 0)
                needs = [
                    job
                    for job in jobs.plan(
                        declaration, profile, lambda *names: "bisimulation" in names
                    )
                    if isinstance(job, SafetyJob)
                ]
                yield Check("whole", mechanism, 4 if is_other else 3, needs=tuple(needs))
            for job in self._jobs_of(
                declaration, profile, "bisimulation", "random", "stress", "mutant"
            ):
                if isinstance(job, RunsJob):
                    for layer in job.layers:
                        if layer == "stress" or is_controlled:
                            stage = 6 if layer == "stress" else 4
                            yield Check("job", mechanism, stage, replace(job, layers=(layer,)))
                elif isinstance(job, MutantJob):
                    if is_controlled and not is_other:
                        yield Check("job", mechanism, LATE, job)
                elif is_controlled and not isinstance(job, FaultJob):
                    cost = 1 if job.weight <= SMALL else 2
                    yield Check(
                        "job",
                        mechanism,
                        {SafetyJob: 3 if is_other else cost, ComposedJob: 5}.get(type(job), 4),
                        job,
                    )
            if artefact == "impl" and file in self.proved.get(mechanism, ()):
                yield from self._theorems(mechanism, 5, profile)
        elif artefact == "model":
            for job in self._jobs_of(
                declaration, profile, "graph", "bisimulation", "liveness", "mutant"
            ):
                if isinstance(job, (SafetyJob, PropertiesJob, LivenessJob, MutantJob)):
                    yield Check(
                        "job",
                        mechanism,
                        {SafetyJob: 1, PropertiesJob: 2}.get(type(job), 3) + is_other,
                        job,
                    )
        elif artefact == "spec":
            for job in self._jobs_of(declaration, profile, "tlc", "graph", "liveness", "mutant"):
                config = declaration.configs.get(job.name)
                module = (
                    declaration.spec.with_name(f"{config.module}.tla")
                    if config and config.module
                    else declaration.checked
                )
                if self.root / file in mc.closure(
                    module
                ):  # a module that a config extends or instantiates
                    yield Check(
                        "job",
                        mechanism,
                        {SafetyJob: 1, PropertiesJob: 2, RefinementJob: 2}.get(type(job), 3)
                        + is_other,
                        job,
                    )
        elif artefact == "jvm":
            by_name = tasks(declaration)
            for job in self._jobs_of(declaration, profile, "jvm"):
                task = by_name[job.name]
                if task.kind != CLASSES and file in self._like(task.binding.file):
                    yield Check("job", mechanism, 1 + is_other, job)
        elif artefact == "proofs":
            if f"proofs/{mechanism}/view.py" in self.theories[mechanism]:
                yield Check("job", mechanism, 1, EdgesJob(mechanism, "edges", ("proof",)))
            yield from self._theorems(mechanism, 2, profile)

    def _jobs_of(self, mechanism: Mechanism, profile: str, *layers: str) -> Iterable[Job]:
        for job in jobs.plan(mechanism, profile, lambda *names: bool(set(names) & set(layers))):
            config = mechanism.configs.get(job.name)
            if config is None or (config.distinct or 0) <= self.bound:
                yield job

    def _theorems(self, mechanism: str, stage: int, profile: str) -> Iterable[Check]:
        """One job for each theory: its theorems have lemmas in common."""
        of_theory: dict[str, list[str]] = {}
        for job in jobs.proofs(self.declared, profile, seeds=1):
            for item in self.declared:
                if job.mechanism == mechanism == item.mechanism and item.name in job.names:
                    of_theory.setdefault(item.theory, []).append(item.name)
        for first, *rest in of_theory.values():
            yield Check(
                "job",
                mechanism,
                stage,
                TheoremsJob(mechanism, first, ("proof",), others=tuple(rest), seeds=1),
            )


def sources(root: Path, artefact: str) -> list[Path]:
    """The files of an artefact, sorted; none of ``tool`` in a project without its packages."""
    if artefact == "tool":
        has_tool = (root / PACKAGES[0]).is_dir()
        return [
            file for name in PACKAGES if has_tool for file in sorted((root / name).glob("*.py"))
        ]
    folder = root / ARTEFACTS[artefact]
    if artefact == "jvm":
        return [file for file in sorted(folder.glob("*.toml")) if file.name != declaration.RELEASES]
    return sorted(folder.rglob("*.tla" if artefact == "spec" else "*.py"))
