"""The producer and the specification of a recording, as its header names them."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import TypedDict

from wheelproof.project.mechanism import Mechanism


class Origin(TypedDict):
    """A producer and a specification."""

    producer: Mapping[str, str]
    spec: Mapping[str, str]


def origin(mechanism: Mechanism, mutant: str) -> Origin:
    """The producer and the specification. ``mutant``: the decision that was left out, or ""."""
    return {
        "producer": {
            "name": "wheelproof",
            "version": metadata.version("wheelproof"),
            "lang": f"Python {platform.python_version()}",
            **({"build": f"mutant {mutant}"} if mutant else {}),
        },
        "spec": {
            "module": mechanism.module,
            "sha256": hashlib.sha256(mechanism.spec.read_bytes()).hexdigest(),
        },
    }
