"""Elections by released Kafka, beside those of ``impl/partition_leader.py``."""
