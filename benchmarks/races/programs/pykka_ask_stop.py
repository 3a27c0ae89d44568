import contextlib
import threading

import pykka


def ask(actor: pykka.ActorRef) -> None:
    with contextlib.suppress(pykka.ActorDeadError):  # it has stopped
        actor.ask("hello")


def program() -> None:
    actor = pykka.ThreadingActor.start()
    threads = [threading.Thread(target=ask, args=(actor,)), threading.Thread(target=actor.stop)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
