"""Runs of a mechanism, written down step by step."""
