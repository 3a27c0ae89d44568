"""Systematic changes of a project's artefacts: its own checks must reject each of them."""
