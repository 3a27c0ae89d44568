"""Contracts that CrossHair checks on the implementation's own functions, with their mutants."""
