"""Traces of Kafka's timer and purgatory: the meaning of their events, and the rules about them.

The tool loads this package by ``wheelproof.trace.declared``, which lists the names that it asks
for. ``schema`` has the kinds of event and their columns; ``translator``, ``timer``, ``operation``
and ``watching`` turn a recorder's records into events; ``runs`` infers the programs of a recording
without one; ``bulk`` has the rules, for DuckDB and Spark. The tables ``<mechanism>.toml`` tie
events to the model's steps.
"""
