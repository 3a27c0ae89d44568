"""The timer whose flush gives the lock back, for any number of threads, entries and parts."""
