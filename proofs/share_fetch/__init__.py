"""The fetches of a share group, for any number of threads, fetches and batches."""
