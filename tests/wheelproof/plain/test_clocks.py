"""Virtual time: all clocks of a program show one."""

import datetime
import threading
import time

from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import explore_program

STARTED = datetime.datetime.now(), time.time(), time.monotonic()


def moments():
    """What the clocks show, as seconds since the module was loaded."""
    started, seconds, ticks = STARTED
    utc = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    return [
        (datetime.datetime.now() - started).total_seconds(),
        (datetime.datetime.today() - started).total_seconds(),
        (utc - datetime.datetime.fromtimestamp(seconds, datetime.UTC).replace(tzinfo=None)
         ).total_seconds(),
        time.time() - seconds,
        time.time_ns() / 1e9 - seconds,
        time.monotonic() - ticks,
        time.perf_counter_ns() / 1e9 - ticks,
        time.clock_gettime(time.CLOCK_REALTIME) - seconds,
        time.mktime(time.localtime()) - int(seconds),
        time.mktime(time.strptime(time.strftime("%Y-%m-%d %H:%M:%S"), "%Y-%m-%d %H:%M:%S"))
        - int(seconds),
        time.mktime(time.strptime(time.ctime())) - int(seconds),
    ]  # fmt: skip


def together():
    shown = moments()
    assert max(shown) - min(shown) < 0.01, shown
    return max(shown)


def clocks_move_together():
    before, seen = together(), []
    time.sleep(5)
    assert 4.9 < together() - before < 5.1
    assert datetime.date.today() == datetime.datetime.now().date()
    threading.Event().wait(2)
    assert 6.9 < together() - before < 7.1
    timer = threading.Timer(3, lambda: seen.append(together()))
    timer.start()
    timer.join()
    assert 9.9 < seen[0] - before < 10.1
    threads = [threading.Thread(target=lambda: seen.append(1)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Later(datetime.datetime):
    pass


def dates_of_a_subclass():
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(Later.now())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {type(one) for one in seen} == {Later}
    assert seen[0] == seen[1] and (seen[0] - STARTED[0]).total_seconds() == 0


def test_all_clocks_show_one_time():
    for program in (clocks_move_together, dates_of_a_subclass):
        found = explore_program(program)
        assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)
