import threading

from prometheus_client import CollectorRegistry, Histogram


def program() -> None:
    registry, seen = CollectorRegistry(), []
    histogram = Histogram("seconds", "each takes one", registry=registry, buckets=[2])

    def scrape() -> None:
        seen.extend(each.value for each in next(iter(registry.collect())).samples[1:3])

    threads = [threading.Thread(target=f) for f in (lambda: histogram.observe(1), scrape)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen[0] == seen[1]
