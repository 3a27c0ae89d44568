"""The publication of the overflow wheel under its memory, for any number of threads."""
