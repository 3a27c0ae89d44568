import threading

from pyee import EventEmitter


def program() -> None:
    emitter, calls = EventEmitter(), []
    emitter.once("event", lambda: calls.append("called"))
    threads = [threading.Thread(target=emitter.emit, args=("event",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == ["called"]
