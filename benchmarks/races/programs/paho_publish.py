import threading

from paho.mqtt.client import CallbackAPIVersion, Client


def program() -> None:
    client, identities = Client(CallbackAPIVersion.VERSION2), []
    threads = [
        threading.Thread(target=lambda: identities.append(client.publish("topic", "hello", 1).mid))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(identities) == [1, 2]
