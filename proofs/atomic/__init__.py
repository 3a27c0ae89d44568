"""The atomic variable, for any number of threads and any values."""
