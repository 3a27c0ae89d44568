"""The benchmarks of `make bench-traces`, and the makers of its traces."""
