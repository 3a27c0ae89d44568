"""Any module of TLA+ with a cfg file: explored as TLC explores it, and compared with TLC.

    model = machine.Machine(module, configuration)     # Init, Next and invariants, compiled
    result = exploration.explore(model)                # every state, with TLC's counts

A state is the tuple of all variables' values. Nothing is known of processes.
"""
