"""What `make bench-traces` runs, and what makes its traces."""
