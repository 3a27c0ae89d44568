"""The lists of a wheel's buckets, for any number of threads, entries and lists."""
