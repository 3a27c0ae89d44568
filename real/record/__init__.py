"""Recordings of released Kafka by the agent of real/agent: made, checked and explained."""
