"""Contracts that CrossHair checks by running the implementation's own functions on symbolic numbers, and mutants that it must refute."""
