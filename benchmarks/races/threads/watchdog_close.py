"""Two threads read from a queue that is closed. It pauses once: until both readers wait."""

import os
import threading
import time

from watchdog.utils.delayed_queue import DelayedQueue

SHOWN = 9

queue = DelayedQueue(0)
readers = [threading.Thread(target=queue.get) for _ in range(2)]
for reader in readers:
    reader.start()
time.sleep(1)
queue.close()
for reader in readers:
    reader.join(5)
waiting = sum(reader.is_alive() for reader in readers)
print(f"the queue is closed, and {waiting} of 2 readers wait", flush=True)
os._exit(SHOWN if waiting else 0)
