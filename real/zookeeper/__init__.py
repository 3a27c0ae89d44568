"""A real ZooKeeper, beside the one in memory of ``impl/zookeeper.py``."""
