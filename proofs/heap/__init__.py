"""The binary heap of the delay queue, for any number of elements and any keys."""
