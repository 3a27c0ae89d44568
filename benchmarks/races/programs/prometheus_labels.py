import threading

from prometheus_client import CollectorRegistry, Counter


def program() -> None:
    registry = CollectorRegistry()
    counter = Counter("requests", "all of them", ["path"], registry=registry)
    threads = [threading.Thread(target=lambda: counter.labels("/").inc()) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert registry.get_sample_value("requests_total", {"path": "/"}) == 2
