"""Defect D1 on Kafka's released jars: a reproduction, the fix and its regression test as diffs."""
