"""Brokers that elect a controller, for any number of brokers, threads and events."""
