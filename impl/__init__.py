"""The reference implementation: one module per mechanism, standard library only."""
