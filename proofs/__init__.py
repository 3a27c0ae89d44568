"""Proofs about every size: any tick, wheel, number of threads, entries and operations.

A module of this package that has ``THEORY`` submits theorems, which ``wheelproof.prove`` proves.
``ASSUMPTIONS.md`` has the assumptions of the proofs.
"""
