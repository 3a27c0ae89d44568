"""A project under test: its folders, its mechanisms, and what their files declare."""

from wheelproof.project.mechanism import Mechanism, find, read, stem_of

__all__ = ["Mechanism", "find", "read", "stem_of"]
