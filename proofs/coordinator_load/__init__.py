"""The load of a coordinator, for any number of threads, epochs and loads."""
