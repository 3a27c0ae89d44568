"""Timers of this project, of Python and of packages, against one contract."""
