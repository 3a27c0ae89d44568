"""Proofs about every size: any tick, wheel, number of threads, entries and operations.

A module of this package that has ``THEORY`` submits theorems (see ``kernel``). ``ASSUMPTIONS.md``
says what they rest on.
"""
