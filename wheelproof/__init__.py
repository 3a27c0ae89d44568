"""Wheelproof: shows that a specification, its executable model and an implementation are the same machine."""

__version__ = "0.1.0"
