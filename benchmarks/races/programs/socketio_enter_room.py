import threading

from socketio import Manager


def program() -> None:
    manager = Manager()
    threads = [
        threading.Thread(target=manager.basic_enter_room, args=(sid, "/", room, sid))
        for sid, room in (("1", "a"), ("2", "b"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {*manager.rooms["/"]} == {"a", "b"}
