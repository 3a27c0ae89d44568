import threading

import requests
from requests.adapters import HTTPAdapter


def program() -> None:
    session = requests.Session()
    mount = threading.Thread(target=session.mount, args=("http://one", HTTPAdapter()))
    look = threading.Thread(target=session.get_adapter, args=("http://two/",))
    for thread in (mount, look):
        thread.start()
    for thread in (mount, look):
        thread.join()
