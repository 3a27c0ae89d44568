"""Traces of an ensemble's history: what their events mean, and the rules about them.

``wheelproof trace check --subject real/chaos`` loads this package by ``wheelproof.trace.declared``,
under the name ``traces``, in the place of the one of the project's timer. Hence the imports by
dots, and none of other folders. ``schema`` has the kinds of event and their columns, ``header``
what a header must have, ``bulk`` the rules for all engines.
"""
