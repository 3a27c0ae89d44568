import threading

from kafka.future import Future


def program() -> None:
    future, values = Future(), []
    threads = [
        threading.Thread(target=future.add_callback, args=(values.append,)),
        threading.Thread(target=future.success, args=(7,)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == [7]
