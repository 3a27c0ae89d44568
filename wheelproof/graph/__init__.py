"""The model's state graph: explored, reduced, searched for fair cycles, and compared with TLC's."""
