"""Operations that wait in the lists of their keys, for any number of threads and operations."""
