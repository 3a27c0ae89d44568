import threading

import structlog


def program() -> None:
    events: list[object] = []
    structlog.configure(
        processors=[lambda *given: events.append(given[2]["event"]) or ""],
        cache_logger_on_first_use=True,
    )
    log = structlog.get_logger()
    threads = [threading.Thread(target=log.bind(name=name).info, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(events) == ["a", "b"]
