"""The whole timer, for any wheel size and any number of levels, entries and threads."""
