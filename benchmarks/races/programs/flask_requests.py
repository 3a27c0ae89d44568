import threading

from flask import Flask


def program() -> None:
    app, answers = Flask("example", static_folder=None), []
    app.add_url_rule("/", view_func=lambda: "hello")
    threads = [
        threading.Thread(target=lambda: answers.append(app.test_client().get("/").status_code))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200, 200]
