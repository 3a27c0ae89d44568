"""Invariants of a module itself, as SANY has read it: conditions, small runs and planted faults."""
