import threading

from werkzeug.routing import Map, Rule


def program() -> None:
    urls = Map([Rule("/", endpoint="index")]).bind("localhost")
    ends = []
    threads = [threading.Thread(target=lambda: ends.append(urls.match("/"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ends) == 2
