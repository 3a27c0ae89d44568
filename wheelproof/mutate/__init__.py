"""Systematic changes of a subject's artefacts, each of which the subject's own checks must reject."""
