"""Decisions of a mechanism: each file takes one away from spec, model and implementation."""

from wheelproof.decisions.hunks import DoesNotFit
from wheelproof.decisions.read import Decision, find, read

__all__ = ["Decision", "DoesNotFit", "find", "read"]
