"""A specification that drives code: its steps become calls of a small adapter.

program = adapter.load("queue.py:Adapter")     # methods are named as the actions
report = driver.Driver(machine, program).cover(explored)   # states compared after each step
"""
