"""The kinds of campaigns, a module for each: ``KIND`` is its class."""
