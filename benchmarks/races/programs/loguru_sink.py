import threading

from loguru import logger


def program() -> None:
    messages: list[str] = []
    logger.remove()
    sink = logger.add(messages.append, format="{message}")
    threads = [threading.Thread(target=logger.info, args=(text,)) for text in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    logger.remove(sink)
    assert sorted(messages) == ["one\n", "two\n"]
