import threading

from jinja2 import DictLoader, Environment


def program() -> None:
    environment, texts = Environment(loader=DictLoader({"a": "a", "b": "b"}), cache_size=1), []
    threads = [
        threading.Thread(target=lambda n=n: texts.append(environment.get_template(n).render()))
        for n in ("a", "b")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == ["a", "b"]
