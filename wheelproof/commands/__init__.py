"""The commands that combine checks with reports: one module each, called by `wheelproof.cli`."""

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""
