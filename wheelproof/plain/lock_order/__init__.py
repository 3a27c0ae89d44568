"""The order of real locks in a whole run of pytest: ``pytest --wheelproof-locks``.

Real threads run on locks that record which others are held when one is taken. Nothing is explored:
a cycle in these orders is a deadlock that another schedule of the same run can come to.
"""
