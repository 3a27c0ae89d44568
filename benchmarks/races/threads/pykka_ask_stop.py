"""A thread asks an actor that stops. It pauses once: right after it has seen the actor alive."""

import contextlib
import os
import threading

import pykka

SHOWN = 9

ended = threading.Event()
seen = threading.Event()
actor = pykka.ThreadingActor.start()
is_alive = actor.is_alive


def paused() -> bool:
    """Whether the actor is alive; the asker then pauses until it has ended, or for a second."""
    alive = is_alive()
    if threading.current_thread() is asker:
        seen.set()
        ended.wait(1)
    return alive


def ask() -> None:
    with contextlib.suppress(pykka.ActorDeadError):  # an answer, too
        actor.ask("hello")


actor.is_alive = paused  # type: ignore[method-assign]
asker = threading.Thread(target=ask)
threads = threading.enumerate()
asker.start()
seen.wait(5)
actor.stop()
for thread in threads:
    if thread is not threading.main_thread():
        thread.join()
ended.set()
asker.join(5)
print("the actor's thread has ended")
print("the question is waiting for ever" if asker.is_alive() else "the question has ended")
print(f"messages left in its inbox: {actor.actor_inbox.qsize()}", flush=True)
os._exit(SHOWN if asker.is_alive() else 0)
