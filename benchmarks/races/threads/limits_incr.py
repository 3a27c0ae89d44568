"""Two threads hit one key. The first pauses once: right after it has added its hit."""

import sys
import threading
from collections import Counter

from limits.storage import MemoryStorage

SHOWN = 9

ended = threading.Event()
added = threading.Event()


class Paused(Counter):
    """The counter of hits: the first hit pauses until the second one has ended, or for a second."""

    def __setitem__(self, key: str, value: int) -> None:
        super().__setitem__(key, value)
        if not added.is_set():
            added.set()
            ended.wait(1)


storage = MemoryStorage()
storage.storage = Paused()
first = threading.Thread(target=storage.incr, args=("key", 100))
first.start()
added.wait(5)
storage.incr("key", 100)
ended.set()
first.join()
count = storage.get("key")
print(f"2 hits, {count} counted")
sys.exit(0 if count == 2 else SHOWN)
