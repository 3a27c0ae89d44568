import threading

from tenacity import retry, stop_after_attempt


def program() -> None:
    attempts: dict[str, int] = {}

    @retry(stop=stop_after_attempt(2))
    def work(name: str) -> None:
        attempts[name] = attempts.get(name, 0) + 1
        assert attempts[name] == 2

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
