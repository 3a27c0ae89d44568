"""Transition systems: their invariants for any size, and their runs within a finite scope."""
