"""A front end for TLA+: SANY's semantic tree of a module, and a model that is compiled from it.

    module = export.load(Path("spec/RingBuffer.tla"))         # a typed syntax tree
    model = Compiled(module).model(constants, threads)        # Init, steps and properties

The subset is that of PlusCal's translations and of properties over one state; docs/tla.md has it.
"""
