"""The page for a design review: one HTML file that needs no network."""

from wheelproof.report.page.render import render

__all__ = ["render"]
