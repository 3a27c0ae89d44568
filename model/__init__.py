"""Executable models of the specifications, of the standard library only."""
