"""The entries of a declaration's tables, each checked and made an item of the mechanism."""

from __future__ import annotations

from typing import Any

from wheelproof.decisions.read import names_of
from wheelproof.project import compact
from wheelproof.project.mechanism import (
    KINDS,
    PROFILES,
    Composed,
    Config,
    Fault,
    Label,
    Mutant,
    OfModel,
)
from wheelproof.project.tables import Table, Tables


class Items(Tables):
    """Makes labels, scenarios, configs, mutants, composed runs and faults of one TOML's tables.

    Each method raises UsageError, with file, table and field, where an entry does not fit.
    """

    def labels(self) -> dict[str, Label]:
        """The table [labels]."""
        out = {}
        for name, value in compact.labels(self.table("labels")).items():
            out[name] = label = self.build(Label, f"labels.{name}", name, value)
            if label.kind not in KINDS:
                raise self.fail(
                    f"labels.{name}", f"kind is {label.kind!r}", f"Known kinds: {', '.join(KINDS)}."
                )
        return out

    def scenario(self, name: str, value: Table) -> Table:
        """One entry of [scenarios]."""
        self.check_names("scenarios", name)
        threads = value.get("threads") if isinstance(value, dict) else None
        if not isinstance(threads, dict) or not threads:
            raise self.fail(
                f"scenarios.{name}",
                "there is no thread in it",
                'Give threads = { name = [["operation", "argument"]] }.',
            )
        self.check_names(f"scenarios.{name}.threads", *threads)
        for thread, program in threads.items():
            if not isinstance(program, list) or not all(
                isinstance(step, list) and step for step in program
            ):
                raise self.fail(
                    f"scenarios.{name}.threads.{thread}",
                    "is not a list of operations, each [name, arguments...]",
                )
            self.check_names(
                f"scenarios.{name}.threads.{thread}",
                *(step[0] for step in program),
                identifiers=True,
            )
        return value

    def of_model(self, scenarios: Table) -> OfModel:
        """The table [model], of lists of names and one name."""
        values = dict(self.table("model"))
        for name in ("witnesses", "sampled", "auxiliary"):
            if name in values:
                value = values[name]
                if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
                    raise self.fail("model", f"{name} is no list of names")
                values[name] = tuple(value)
                self.check_names("model", *value, identifiers=name != "sampled")
        if not isinstance(values.get("result", ""), str):
            raise self.fail("model", "result is no name of an operator")
        if values.get("result"):
            self.check_names("model", values["result"], identifiers=True)
        self.check_known("model", "scenario", values.get("sampled", ()), scenarios)
        return self.build(OfModel, "model", "model", values)

    def config(
        self,
        name: str,
        value: Table,
        scenarios: Table,
        properties: Table,
        decisions: Table,
    ) -> Config:
        """One config, its counts among the values."""
        place = f"configs.{name}"
        lists = {name: tuple(value[name]) for name in ("fair", "fails") if name in value}
        value = {**value, **lists}
        config = self.build(Config, place, name, value, scenario=name)
        self.common(place, config, scenarios, properties)
        self.check_known(place, "decision", names_of(config.without), decisions)
        if config.expect not in ("exhaustive", "violated"):
            raise self.fail(
                place, f"expect is {config.expect!r}", 'It is "exhaustive" or "violated".'
            )
        if config.expect == "violated" and config.property is None:
            raise self.fail(
                place, "a violation is expected, but of no property", 'Name it: property = "...".'
            )
        invariants = [p.name for p in properties.values() if p.kind == "invariant" and p.holds]
        self.check_known(place, "invariant", config.fails, dict.fromkeys(invariants))
        if config.fails and (config.expect != "exhaustive" or config.property):
            raise self.fail(
                place,
                "has the field fails, but is not about all invariants",
                "Leave out expect and property, or fails.",
            )
        if config.keeps is not None and not (
            config.module and config.property and config.expect == "exhaustive"
        ):
            raise self.fail(
                place,
                "has the field keeps, but is no refinement that holds",
                "Leave out keeps, or give module and property.",
            )
        if config.fair is not None:
            self.check_known(place, "thread", config.fair, scenarios[config.scenario]["threads"])
        return config

    def check_keeps(self, config: Config, mutants: Table) -> None:
        """Refuse a field keeps that names no mutant or gives no reason, and ambiguous rows."""
        if config.keeps is None:
            return
        place = f"configs.{config.name}.keeps"
        self.check_known(place, "mutant", config.keeps, mutants)
        for name, reason in config.keeps.items():
            if not isinstance(reason, str) or not reason.strip():
                raise self.fail(
                    place, f"{name} has no reason", "Say why that machine refines it too."
                )
        if config.name in mutants:
            raise self.fail(
                place,
                "a mutant has the config's name, too",
                "Rows of one layer need names of their own.",
            )

    def mutant(
        self,
        decision: str,
        name: str,
        value: Table,
        scenarios: Table,
        properties: Table,
    ) -> Mutant:
        """One mutant of a decision's file."""
        mutant = self.build(Mutant, name, name, value, decision=decision)
        self.common(name, mutant, scenarios, properties)
        if mutant.dies_at and not mutant.property:
            raise self.fail(name, "has dies_at, and no property that breaks", "Take dies_at out.")
        if (mutant.property is None) == (not mutant.equivalent):
            raise self.fail(
                name, "needs either the property that breaks or the reason why it is equivalent"
            )
        return mutant

    def composed(self, name: str, value: Table, scenarios: Table, decisions: Table) -> Composed:
        """One entry of [composed]."""
        place = f"composed.{name}"
        entry = self.build(Composed, place, name, value)
        self.check_known(place, "scenario", [entry.scenario], scenarios)
        self.check_known(place, "decision", [entry.mutant] if entry.mutant else [], decisions)
        self.in_profile(place, entry.profile)
        if entry.equivalent and not entry.mutant:
            raise self.fail(
                place, "gives the reason why a mutant is equivalent, and names no mutant"
            )
        if entry.data_race and not entry.mutant:
            raise self.fail(place, "has a data race, and names no mutant")
        return entry

    def fault(self, name: str, value: Table, scenarios: Table, decisions: Table) -> Fault:
        """One entry of [faults]: changes of one module, or a decision that is taken away."""
        place = f"faults.{name}"
        changes = value.get("changes")
        if "without" in value:
            if "module" in value or "changes" in value:
                raise self.fail(
                    place, "has changes, and a decision that is taken away", "Leave out one."
                )
            self.check_known(place, "decision", [value["without"]], decisions)
            value, changes = {**value, "module": ""}, []
        elif (
            not isinstance(changes, list)
            or not changes
            or not all(isinstance(pair, list) and len(pair) == 2 for pair in changes)
        ):
            raise self.fail(place, "changes is not a list of pairs [old text, new text]")
        fault = self.build(
            Fault, place, name, {**value, "changes": tuple((old, new) for old, new in changes)}
        )
        self.check_known(place, "scenario", [fault.scenario], scenarios)
        self.in_profile(place, fault.profile)
        return fault

    def common(
        self, place: str, item: Config | Mutant, scenarios: Table, properties: Table
    ) -> None:
        """Check the fields that configs and mutants share."""
        self.check_known(place, "scenario", [item.scenario], scenarios)
        self.check_known(place, "property", [item.property] if item.property else [], properties)
        self.in_profile(place, item.profile)

    def in_profile(self, place: str, profile: str) -> None:
        """Refuse a profile that there is not."""
        if profile not in PROFILES:
            raise self.fail(
                place, f"profile is {profile!r}", f"Known profiles: {', '.join(PROFILES)}."
            )

    def check_known(self, place: str, kind: str, names: Any, table: Table) -> None:
        """Refuse names that are not among the known ones."""
        if unknown := [name for name in names if name not in table]:
            raise self.fail(
                place, f"there is no {kind} {', '.join(unknown)}", f"Known: {', '.join(table)}."
            )
