"""The controlled runtime: the scheduler, and the primitives of an implementation on it.

* the scheduler: ``threads``, ``controlled``, ``alternatives`` (choices), ``lock_order``,
  ``watchdog``;
* memory: ``fields`` (marked fields), ``store_buffer`` (weak memory), ``race``;
* primitives: ``bound`` and ``registry`` (a class of a primitive for each scheduler), ``locks``,
  ``conditions`` with ``patience`` and ``spurious``, ``virtual_time``, ``synchronizers``,
  ``queues``, ``primitives`` (all of them), ``own`` (primitives of a project);
* ``atomic`` (operations that are one step), ``production`` (imports for production only).
"""
