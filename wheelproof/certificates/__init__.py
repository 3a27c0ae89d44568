"""Proofs of SMT solvers in the format Alethe, checked step by step by the rules' definitions.

It knows SMT-LIB, whole numbers and truth values, and nothing of solvers or of theories that state
obligations. A step with a rule that it does not know is refused.
"""
