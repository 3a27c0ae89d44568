"""Traces in bulk, on Spark: events are read, malformed lines set aside, and every rule is applied
to every event.

It needs the extra ``data`` and Java 17; nothing outside it imports Spark. The meaning of a
project's events is in the project's folder ``traces``.
"""
