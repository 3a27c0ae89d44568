"""Finding a project's mechanisms: one for each TOML file of its folder ``spec``."""

from pathlib import Path

from wheelproof.errors import NothingChecked
from wheelproof.project.declaration import read
from wheelproof.project.mechanism import Mechanism


def find(root: Path) -> dict[str, Mechanism]:
    """Every mechanism of a project by its name, in the order of the files' names.

    Raises NothingChecked where the folder declares none, UsageError where a TOML is wrong.
    """
    files = sorted((root / "spec").glob("*.toml"))
    if not files:
        raise NothingChecked(
            f"{root / 'spec'}: there is no TOML file, so there is nothing to check.",
            "Run inside a project's folder, or name one with --subject DIR. "
            "`wheelproof init my_lock` writes one, and `wheelproof explore FILE::TEST` needs none.",
        )
    mechanisms = [read(file) for file in files]
    return {mechanism.name: mechanism for mechanism in mechanisms}
