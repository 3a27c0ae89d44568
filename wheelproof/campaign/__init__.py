"""Campaigns: many independent units of work, in blocks, on the executors of Spark.

A kind of campaign (`campaign.kinds`) says which units there are, and runs one to its rows. All else
is common: the plan as a file, blocks that are whole or not there, executors, and the end.
"""
