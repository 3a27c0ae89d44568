"""Traces in bulk, on Spark: events are read, malformed lines set aside, and every rule is applied
to every event.

Unlike the rest of the tool this package knows the timing wheel and the purgatory: its rules are
about the columns of ``wheelproof.trace/1``. It needs the extra ``data`` and Java 17; nothing
outside it imports Spark.
"""
