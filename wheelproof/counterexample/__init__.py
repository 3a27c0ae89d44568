"""Counterexamples: a document, built from a schedule, shown as columns of threads, run again."""
