"""Contracts that CrossHair checks by running the implementation's own functions on symbolic numbers, and bad twins that it must refute."""
