"""A broker's delayed requests as a timeline in the terminal: ``make demo``."""
