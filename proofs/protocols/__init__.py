"""Inductive invariants of the protocols, for any number of threads and objects."""
