"""Pairs of releases, one with a race and one without it, and what checkers say of them."""
