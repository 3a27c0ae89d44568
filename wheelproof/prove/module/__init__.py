"""Transition systems made of a module's steps, as SANY has read it.

    system = systems.made("Ring", module, vocabulary)     # a subclass of wheelproof.prove.ts.System

A label of PlusCal's translation becomes one action for each label that it may go on to. The
vocabulary says which sets of the module are sorts, and gives the shapes of its variables.
"""
