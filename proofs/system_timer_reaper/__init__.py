"""The thread that lets a timer's time pass, for any number of threads that close it."""
