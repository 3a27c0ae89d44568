"""A real broker, a recorded load whose events go to a topic of it, and the watch that judges
them."""
