import threading
import weakref


def program() -> None:
    first, second = threading.Event(), threading.Event()
    events = weakref.WeakSet([first])
    threads = [
        threading.Thread(target=list, args=(events,)),
        threading.Thread(target=events.add, args=(second,)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
