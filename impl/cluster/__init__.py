"""The duties of Kafka's controller: brokers, topics, partitions and replicas of a small cluster."""
