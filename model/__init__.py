"""Executable models of the specifications: one module per mechanism, pure data, standard library only."""
