"""Traces read in their order: verdicts, gaps, contradictions."""
