"""Defects of released Kafka: of each a program, the fix and its test, as diffs."""
