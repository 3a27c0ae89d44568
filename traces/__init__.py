"""Traces of Kafka's timer and purgatory: the meaning of their events, and the rules about them.

The tool loads this package by ``wheelproof.trace.declared``, which lists the names that it asks
for. ``schema`` has the kinds of event and their columns, ``translator``, ``timer`` and
``operation`` turn a recorder's records into events, ``rules`` and its parts judge one event after
the other by the ``facts`` so far, ``shrink`` makes a refused trace small, ``bulk`` has the rules
for Spark. The tables ``<mechanism>.toml`` tie events to the model's steps.
"""
