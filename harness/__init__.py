"""Per mechanism: how a scenario's threads call the implementation, and which model state its objects are in."""
