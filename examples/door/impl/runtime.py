"""What the door takes from Python. The checks put their own module in this one's place."""

from threading import Condition
from typing import Annotated, TypeVar

__all__ = ["Condition", "Plain"]

T = TypeVar("T")
Plain = Annotated[T, "guarded by a lock"]
