"""Programs that run released Kafka itself."""
