import threading

from peewee import SqliteDatabase


def program() -> None:
    database, closed = SqliteDatabase(":memory:"), []

    def use() -> None:
        database.connect()
        closed.append(database.close())

    threads = [threading.Thread(target=use) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert closed == [True, True]
