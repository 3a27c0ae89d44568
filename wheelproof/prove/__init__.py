"""Proofs about every size: transition systems, conditions for two solvers, and their evidence.

A project's module below ``proofs`` that has ``THEORY`` submits theorems (see ``kernel``). ``ts``
has transition systems, and ``module`` makes one of a TLA+ module, as SANY reads it. ``invariant``
is about the invariant of such a module. ``second`` writes a condition for the second solver.
"""
