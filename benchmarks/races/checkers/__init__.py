"""One module for each checker: it runs in an environment of its own and prints its outcome.

`python -m benchmarks.races.checkers.NAME PROGRAM SECONDS` explores the function `program` of
`benchmarks/races/programs/PROGRAM.py`. The last line of its output is the outcome in JSON.
"""
