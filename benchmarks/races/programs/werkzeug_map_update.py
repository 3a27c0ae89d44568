import threading

from werkzeug.routing import Map, Rule


def program() -> None:
    urls = Map([Rule("/", endpoint="index")]).bind("localhost")
    threads = [threading.Thread(target=urls.match, args=("/",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
