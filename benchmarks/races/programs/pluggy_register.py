import threading

import pluggy


def program() -> None:
    manager = pluggy.PluginManager("example")
    threads = [
        threading.Thread(target=manager.register, args=(object(), name)) for name in ("one", "two")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(manager.get_plugins()) == 2
