"""Pairs of releases, one with a race and one without it, and the answers of checkers about them."""
