"""The protocol of a hierarchy of wheels, for any number of threads, entries and levels."""
