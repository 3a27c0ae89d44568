import threading

from blinker import Signal


def program() -> None:
    signal, calls = Signal(), []
    signal.connect(calls.append, weak=False)
    threads = [
        threading.Thread(target=signal.send, args=("sender",)),
        threading.Thread(target=signal.connect, args=(print,), kwargs={"sender": "other"}),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == ["sender"]
