"""Runs of a mechanism on real threads, recorded event by event."""
