"""Scenarios on the production runtime with real threads.

Threads pause at random bytecodes, primitives are observed, and faults are planted.
"""
