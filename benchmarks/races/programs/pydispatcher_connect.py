import threading

from pydispatch import dispatcher


def program() -> None:
    sender, answers = threading.Event(), (lambda: 1, lambda: 2)
    threads = [
        threading.Thread(target=dispatcher.connect, args=(answer, "signal", sender))
        for answer in answers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer for _, answer in dispatcher.send("signal", sender)} == {1, 2}
