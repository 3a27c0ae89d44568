"""The elector on a real ensemble, step by step beside its model."""
