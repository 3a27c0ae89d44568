"""Inductive invariants of the subject's protocols, for any number of threads and objects."""
