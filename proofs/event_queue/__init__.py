"""The queue of events of Kafka's controller, for any number of threads and events."""
