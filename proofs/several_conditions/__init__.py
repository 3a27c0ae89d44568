"""A purgatory's operation that waits for any number of conditions."""
