"""The lock for readers and writers, for any number of threads."""
