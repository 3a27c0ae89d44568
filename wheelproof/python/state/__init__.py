"""The parts of an implementation's state, in values that are equal in every run.

``kinds`` has the types that are compared, ``canonical`` with ``callables``, ``exceptions`` and
``generators`` their values; ``slots``, ``positions`` and ``stack`` find them, also those that
Python does not show. ``fingerprint`` puts a whole state together.
"""
