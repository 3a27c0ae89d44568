"""Coverage by histories: the kinds of event. There is no table of edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..schema import KINDS


def summary(kinds: Mapping[str, int], measured: Mapping[str, Any]) -> dict[str, Any]:
    """Plain data: events by kind, and the kinds that were never seen."""
    return {
        "kinds": {kind: kinds[kind] for kind in KINDS if kinds.get(kind)},
        "kinds_unseen": [kind for kind in KINDS if not kinds.get(kind)],
        "edges": {},
        "edges_untaken": [],
    }
