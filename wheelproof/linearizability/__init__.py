"""Linearizability of plain Python classes: drawn programs, all their schedules, and the verdict.

A class is its own specification: some order of its operations, one after the other, must have the
results that they have under threads. :func:`wheelproof.linearizable` is the entry.
"""
