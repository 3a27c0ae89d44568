"""``wheelproof trace watch``: recordings that grow, judged by the table of rules as they grow.

Spark's Structured Streaming follows the files, keeps the offsets and reads the lines. A ledger on
the disk takes each micro-batch in one transaction: the events, the carries of keys, and the
violations.
"""
