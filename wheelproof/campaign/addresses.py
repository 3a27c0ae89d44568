"""Objects of a project that a campaign names as MODULE:NAME."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from wheelproof.errors import UsageError


def load(address: str, root: Path) -> object:
    """The object of an address, with a project's folder on the path. Raises UsageError.

    An address may come from a file, so that modules of the project alone are imported.
    """
    module, _, name = address.partition(":")
    parts = module.split(".")
    if not name or not all(part.isidentifier() for part in parts):
        raise UsageError(f"{address!r} names no object of a module.", "Give it as MODULE:NAME.")
    place = root.joinpath(*parts)
    if not (place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()):
        raise UsageError(f"{root} has no module {module}.", "Name a module below --subject.")
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        value: object = importlib.import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"{address}: {error}.", "Name a module below --subject.") from None
    return value


def single(names: tuple[str, ...], kind: str) -> str:
    """The one name of a request. Raises UsageError."""
    if len(names) != 1:
        raise UsageError(
            f"A campaign of the kind {kind} has one name, not {len(names)}.",
            "Give it as MODULE:NAME.",
        )
    return names[0]
