"""Threads of the programs that tests explore."""

import threading


def run(*bodies):
    """Start a thread for each function, and wait for all of them."""
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
