"""Objects of a project that a campaign names as MODULE:NAME."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from wheelproof.errors import UsageError


def load(address: str, root: Path) -> object:
    """The object of an address, with a project's folder on the path. Raises UsageError."""
    module, _, name = address.partition(":")
    if not module or not name:
        raise UsageError(f"{address!r} names no object of a module.", "Give it as MODULE:NAME.")
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
