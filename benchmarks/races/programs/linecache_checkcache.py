import linecache
import threading


def program() -> None:
    linecache.clearcache()
    linecache.getlines(threading.__file__)
    threads = [
        threading.Thread(target=linecache.checkcache),
        threading.Thread(target=linecache.clearcache),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
