"""A checker of plain Python threads: every order of their shared accesses, without a specification.

Modules are loaded a second time with a call before each shared access. Threads are greenlets, one
runs at a time, and a search chooses which. :func:`wheelproof.plain.exploration.explore_program` is
the entry.
"""
