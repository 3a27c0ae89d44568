"""Proofs about every size: any tick, wheel, number of threads, entries and operations.

A module of this package that has ``THEORY`` submits theorems (see ``kernel``). ``ASSUMPTIONS.md``
has what they rest on.
"""
