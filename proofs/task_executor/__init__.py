"""The executor of a timer, for any number of threads and tasks."""
