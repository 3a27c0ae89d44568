"""Traces of an ensemble's history: the meaning of their events, and the rules about them.

``wheelproof trace check --subject real/chaos`` loads this package by ``wheelproof.trace.declared``,
under the name ``traces``, in the place of the one of the project's timer. Hence the imports by
dots, and none of other folders. ``schema`` has the kinds of event and their columns, ``header``
the required parts of a header, ``bulk`` the rules for all engines.
"""
