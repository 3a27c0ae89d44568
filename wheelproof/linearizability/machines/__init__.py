"""Hypothesis' state machines under threads: rules are operations, in programs that are drawn."""
