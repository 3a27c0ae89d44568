"""A small project that is in order from the start, to be changed step by step.

It is a number that threads add to under a lock: specification, declaration, implementation,
harness, and two decisions. The model is compiled from the specification.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from wheelproof import documents, project
from wheelproof.errors import UsageError, WheelproofError
from wheelproof.project import counts
from wheelproof.tla.reader import STANDARD

COUNTS = {"two_adders": {"generated": 128, "distinct": 84, "depth": 18}}
"""The counts of the starter's only scenario."""

BROKEN = {"NothingLost": ["pc other", "value +1", "value -1", "value other"]}
"""The changes that break the starter's only invariant."""

TAKEN = ("impl", "harness", "runtime")
"""Names of other modules of the project."""

LONGEST = 60
"""Characters of a name: it is that of files, modules and rows."""

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


def module_of(name: str) -> str:
    """The TLA+ module of a mechanism. UsageError for a name that no file can have."""
    module = "".join(part.capitalize() for part in name.split("_"))
    if not _NAME.fullmatch(name) or project.name_of(module) != name:
        raise UsageError(
            f"{name!r} is no name for a mechanism.",
            "Use small letters, digits and single underscores, such as my_lock.",
        )
    if len(name) > LONGEST:
        raise UsageError(
            f"{name!r} has {len(name)} characters, and names of files have fewer.",
            f"Choose a name of at most {LONGEST}.",
        )
    if keyword.iskeyword(name) or name in TAKEN or module in STANDARD:
        raise UsageError(
            f"{name} is the name of a module that is there already, or a word of Python.",
            "Choose another name.",
        )
    return module


def files(name: str) -> dict[str, str]:
    """The project's files but for the counts: path below its folder -> text."""
    module = module_of(name)
    places = {
        f"spec/{module}.tla": "spec.tla",
        f"spec/{module}.toml": "spec.toml",
        f"impl/{name}.py": "impl.py",
        f"harness/{name}.py": "harness.py",
        f"mutants/{name}/Unlocked.md": "Unlocked.md",
        f"mutants/{name}/KeepsLock.md": "KeepsLock.md",
    }
    environment = Environment(
        loader=PackageLoader("wheelproof.starter", ""),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # no template makes HTML
    )
    return {
        place: environment.get_template(f"{template}.j2").render(name=name, module=module)
        for place, template in places.items()
    }


def refuse_present(folder: Path, places: Iterable[str]) -> None:
    """Refuse to write over a file: UsageError with the first that is there."""
    if there := [place for place in places if (folder / place).exists()]:
        raise UsageError(
            f"{folder / there[0]} is there already.",
            "Choose another name, or another folder. `wheelproof init --from FILE:CLASS` drafts a "
            "class that is there, and `wheelproof explore FILE::TEST` checks it by a test of it.",
        )


def write(folder: Path, name: str) -> list[Path]:
    """Write a project into a folder; the files that are new.

    UsageError where one of them is there already: nothing is written then. ToolError where a file
    cannot be written: the new files are removed again.
    """
    texts = files(name)
    refuse_present(folder, texts)
    counts_by_name, violations = counts.read(folder / "spec"), counts.read_broken(folder / "spec")
    paths: list[Path] = []
    try:
        for place, text in texts.items():
            documents.write_text(folder / place, text)
            paths.append(folder / place)
        counts.write(
            folder / "spec", {**counts_by_name, name: COUNTS}, {**violations, name: BROKEN}
        )
    except WheelproofError:
        for file in paths:
            with suppress(OSError):
                file.unlink()
        raise
    return paths
