"""The timing wheel's arithmetic, for every tick and every number of buckets."""
