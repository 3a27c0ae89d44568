import asyncio
import threading


def program() -> None:
    loop, errors = asyncio.new_event_loop(), []
    loop.set_exception_handler(lambda loop, context: errors.append(context))
    handle = loop.call_soon_threadsafe(int)
    loop.call_soon(loop.stop)
    threads = [threading.Thread(target=loop.run_forever), threading.Thread(target=handle.cancel)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    loop.close()
    assert not errors
