"""Wheelproof: a specification, its executable model and an implementation have one behaviour."""

__version__ = "0.1.0"
