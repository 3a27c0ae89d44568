"""Per mechanism: one small override for each synchronisation decision, which takes that decision away."""
