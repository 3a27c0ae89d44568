"""The trace file ``wheelproof.trace/1``: its parts, columns and encodings."""
