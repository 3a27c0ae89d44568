"""A project under test: its folders, its mechanisms, and what their files declare."""

from wheelproof.project.declaration import read
from wheelproof.project.finding import find
from wheelproof.project.mechanism import Mechanism, stem_of

__all__ = ["Mechanism", "find", "read", "stem_of"]
