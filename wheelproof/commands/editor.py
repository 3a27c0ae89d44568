"""``wheelproof models``: for any TLA+ editor, a model that holds and one that fails.

``spec/models/MC<Module>.tla`` with its ``.cfg`` is a scenario of a few seconds in which every
invariant holds; ``MC<Module>Fails.tla`` beside it is the first config of the TOML that must fail
although no decision is taken away. Both need no tool but TLC, with ``spec`` as its library. Modules
of the tool that the specification extends are copied there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from wheelproof import documents, reading, temporary
from wheelproof.checks.context import Context, Stated
from wheelproof.checks.jobs import kind_of
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.tlc import mc

SMALL = 3_000
"""Distinct states that TLC goes through in a few seconds."""


def holding(mechanism: Mechanism) -> Config | None:
    """The largest config of SMALL states in which every invariant holds."""
    configs = [
        config
        for config in mechanism.configs.values()
        if kind_of(mechanism, config) == "config"
        and config.expect == "exhaustive"
        and not config.property
        and not config.fails
        and not config.without
        and (config.distinct or 0) <= SMALL
    ]
    return max(configs, key=lambda config: config.distinct or 0, default=None)


def failing(mechanism: Mechanism) -> Config | None:
    """The first config of the mechanism's own module that must fail without a mutation."""
    return next(
        (
            config
            for config in mechanism.configs.values()
            if config.expect == "violated" and not config.without and not config.module
        ),
        None,
    )


def models(mechanism: Mechanism) -> dict[Path, str]:
    """The files of a mechanism -> their texts."""
    texts: dict[Path, str] = {}
    for suffix, config in (("", holding(mechanism)), ("Fails", failing(mechanism))):
        if config is not None:
            texts |= files_of(mechanism, config, f"MC{mechanism.module}{suffix}")
    place = mechanism.spec.parent
    library = [file for file in mc.closure(mechanism.checked) if file.parent == mc.LIBRARY]
    return texts | {place / file.name: reading.text(file) for file in library}


def files_of(mechanism: Mechanism, config: Config, name: str) -> Mapping[Path, str]:
    """Module and cfg of one config under a name."""
    checks: Stated = {"invariants": mechanism.invariants_of(config)}
    deadlock = True
    if config.property:
        kind = mechanism.properties[config.property].kind
        checks, deadlock = {}, kind == "deadlock"
        if kind == "invariant":
            checks["invariants"] = (config.property,)
        elif kind == "liveness":
            checks["properties"] = (config.property,)
    with temporary.folder("models") as folder:
        description = Context(mechanism, folder).describe(name, config, deadlock=deadlock, **checks)
    about = config.about or mechanism.scenarios[config.scenario].get("about", "")
    fails = f"; {config.property} fails" if config.property else ""
    origin = f"{description.origin}: {about}{fails}"
    description = replace(description, origin=origin, library="..")
    place = mechanism.spec.parent / "models"
    return {
        place / f"{name}.tla": mc.module_text(description),
        place / f"{name}.cfg": mc.config_text(description),
    }


def write(mechanism: Mechanism) -> list[Path]:
    """Write the models that are not as they should be; which those are."""
    changes = {
        file: text
        for file, text in models(mechanism).items()
        if not file.is_file() or file.read_text(encoding="utf-8") != text
    }
    for file, text in changes.items():
        documents.write_text(file, text)
    return list(changes)
