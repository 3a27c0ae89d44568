"""Chaos on a real ensemble of ZooKeeper, judged by the log that it writes to its disks."""
