"""Runs of an implementation: one schedule, all of them, and the comparison with the model.

``loading`` loads the sources a second time, ``created`` names the objects that threads create, and
``run`` is one run.

* ``search`` (all states), ``pairs`` and ``bisimulation`` (with a model), ``states`` (without one),
  ``difference`` (between both), ``second_way`` and ``unread`` (checks of the search itself);
* ``composed_search``, ``searched`` and ``composition`` (two mechanisms);
* ``schedules``, ``runner`` and ``refined`` (single schedules).
"""
