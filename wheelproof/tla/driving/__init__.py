"""A specification that drives code: its steps become calls of a small adapter.

kind = adapter.load("queue.py:Adapter")        # methods are named as the actions
report = driver.Driver(machine, kind).cover(explored)   # states compared after each step
"""
