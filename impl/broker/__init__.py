"""A broker in memory, as far as Kafka's delayed operations need one: what a purgatory is for.

Nothing here is a mechanism that is checked step by step. These are users of the purgatory, with the
operations that Kafka's request handlers enter.
"""
