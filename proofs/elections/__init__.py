"""Elections of partition leaders, for any number of replicas."""
