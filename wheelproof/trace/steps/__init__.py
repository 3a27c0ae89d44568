"""Recordings of labelled operations: for any mechanism with labels, with nothing else declared.

``recorder`` puts the operations of real threads in one exact order, ``primitives`` has the locks
and variables that report to it, ``loading`` loads a mechanism on them, ``record`` runs a scenario,
``format`` is the file, ``follow`` takes a recording through the model's own steps.
"""
