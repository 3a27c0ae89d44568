"""Defects planted in an implementation by text, and what a bisimulation must say of them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.model.artefacts import ROOT, Artefacts
from wheelproof.python import (
    ControlledImplementation,
    StyleError,
    bisimulate,
)
from wheelproof.python.search.bisimulation import Bisimulation

Changes = tuple[tuple[str, str], ...]
"""(old, new) texts; each old one must be there once."""


class Control(NamedTuple):
    """``kind`` of the finding: a difference, a broken rule at run time, or a style rule.

    A difference is ``label`` (another step is next), ``enabled`` (others can move) or ``shared`` (a
    variable differs). The rules are ``rule`` and ``lint``. ``says``: a part of the message, or the
    style rule.
    """

    scenario: str
    kind: str
    says: str
    changes: Changes


def swapped(one: str, two: str) -> Changes:
    """Two labels that change places."""
    return (f"# {one}\n", "# to be\n"), (f"# {two}\n", f"# {one}\n"), ("# to be\n", f"# {two}\n")


def planted(of: Artefacts, changes: Changes, **options) -> ControlledImplementation:
    """The implementation with these changes, under control."""
    text = of.source("impl")
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
        text = text.replace(old, new)
    return ControlledImplementation.load(ROOT, of.name, texts={f"impl.{of.name}": text}, **options)


def noticed(of: Artefacts, control: Control, compared=None) -> None:
    """Fail unless the control leads to the finding that it names.

    ``compared(subject, scenario)``: another comparison than with the TOML's.
    """
    if control.kind == "lint":
        with pytest.raises(StyleError) as refused:
            planted(of, control.changes)
        assert control.says in {finding.rule for finding in refused.value.findings}
        return
    compared = compared or (lambda subject, scenario: bisimulated(of, subject, scenario))
    bisimulation = compared(planted(of, control.changes, lint=False), control.scenario)
    assert bisimulation.outcome == "different"
    assert (
        bisimulation.difference.kind == control.kind
        and control.says in bisimulation.difference.message
    ), str(bisimulation.difference)


def bisimulated(of: Artefacts, subject: ControlledImplementation, scenario: str) -> Bisimulation:
    """An implementation against the model as it is, in a scenario of the TOML."""
    return bisimulate(subject, of.mechanism.scenarios[scenario], *of.rows(scenario))
