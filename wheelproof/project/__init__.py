"""A project under test: its folders, its mechanisms, and the declarations in their files."""

from wheelproof.project.declaration import read
from wheelproof.project.finding import find
from wheelproof.project.mechanism import Mechanism, name_of

__all__ = ["Mechanism", "find", "name_of", "read"]
