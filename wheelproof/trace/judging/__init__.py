"""Traces judged event by event: verdicts, order, rules."""
