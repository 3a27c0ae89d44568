"""Traces followed on the mechanism's own model, and checked by TLC."""
