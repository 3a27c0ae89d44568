"""TLC, the TLA+ model checker: finding it, running it and reading what it prints."""
