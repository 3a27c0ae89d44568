"""Scenarios on the production runtime with real threads: pauses at random bytecodes, observed
primitives, planted faults."""
