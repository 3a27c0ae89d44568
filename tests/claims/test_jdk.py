"""What the articles say of the JDK's Timer and DelayQueue, on the real classes, and the Python
stand-ins compared with them.

Where there is no Java with a compiler these tests are not run, and each says so by its name. What
judges a real class must reject the class that is wrong on purpose.
"""

from __future__ import annotations

import pytest

from tests.claims import jdk
from tests.claims.jdk import NoJava

# -- DelayQueue


def holds_order(orders: str) -> bool:
    """One order, whatever the order of the offers, and each element when it is due."""
    return orders == "2000@2000 4000@4000 5000@5000"


def test_a_delay_queue_hands_out_in_the_order_of_time_whatever_the_order_of_offers(probe):
    assert holds_order(probe("queue.orders"))


def test_that_check_rejects_a_queue_in_the_order_of_offers(probe):
    assert not holds_order(probe("wrong.queue.orders"))


PAIRS = {
    f"{inside}/{intruder}"
    for inside in ("offer", "poll")
    for intruder in ("offer", "poll", "peek", "remove", "size")
}


def test_while_one_thread_is_inside_a_delay_queue_no_other_gets_in(probe):
    assert probe("queue.intruders") == ""
    assert probe("queue.handed_out") == "60 of which 60 different"


def test_that_check_rejects_a_queue_without_a_lock(probe):
    assert set(probe("wrong.queue.intruders").split()) - {"broken"} == PAIRS


def holds_back(probe, prefix: str) -> bool:
    return (probe(f"{prefix}queue.early.poll"), probe(f"{prefix}queue.early.peek")) == (
        "null",
        "late",
    )


def test_a_delay_queue_polls_no_element_before_its_time_and_removes_one(probe):
    assert holds_back(probe, "")
    assert (probe("queue.early.remove"), probe("queue.early.left")) == ("true", "0")


def test_that_check_rejects_a_queue_that_does_not_wait(probe):
    assert not holds_back(probe, "wrong.")


def holds_bound(capacity: int) -> bool:
    """No bound but that of an array's index."""
    return capacity == (1 << 31) - 1


def test_a_delay_queue_has_no_bound_but_that_of_an_int(probe):
    assert holds_bound(int(probe("queue.capacity")))


def test_that_check_rejects_a_bounded_queue(probe):
    assert not holds_bound(int(probe("wrong.queue.capacity")))


def holds_contract(bound: str, without: str) -> bool:
    """The compiler wants elements with a delay, and the program that gets round it fails."""
    return (bound, without) == ("java.util.concurrent.Delayed", "ClassCastException")


def test_elements_must_have_a_delay_and_an_order(probe):
    assert holds_contract(probe("queue.bound"), probe("queue.without_delay"))
    assert probe("queue.element") == "[interface java.lang.Comparable] getDelay"


def test_that_check_rejects_a_queue_of_anything(probe):
    assert not holds_contract(probe("wrong.queue.bound"), probe("wrong.queue.without_delay"))


def test_order_and_delay_must_agree(probe):
    assert probe("queue.hidden") == ""


def test_that_check_sees_elements_that_are_hidden_where_they_do_not(probe):
    assert probe("queue.hidden_by_name") == "b c"


def holds_heap(types: tuple[str, str]) -> bool:
    return types == ("PriorityQueue", "TaskQueue")


def test_both_have_a_priority_queue(probe):
    assert holds_heap((probe("queue.heap"), probe("timer.heap")))


def test_that_check_rejects_another_structure(probe):
    assert not holds_heap((probe("wrong.queue.heap"), probe("timer.heap")))


# -- what a DelayQueue costs

FEW, MANY = 1000, 20_000


def log2(number: int) -> int:
    return number.bit_length() - 1


def holds_log_at_worst(probe, cost: str, *numbers: int) -> bool:
    """An element before all others is compared with one of each level of the heap."""
    return all(
        int(probe(f"{cost}.{pending}.earliest_offer")) == log2(pending + 1001)
        for pending in numbers
    )


def test_an_offer_compares_log_n_times_at_worst(probe):
    assert holds_log_at_worst(probe, "cost", FEW, MANY)


def holds_two_or_three(probe, cost: str, *numbers: int) -> bool:
    return all(
        1000 <= int(probe(f"{cost}.{pending}.thousand_offers")) < 3000 for pending in numbers
    )


def test_an_offer_compares_two_or_three_times_on_average(probe):
    assert holds_two_or_three(probe, "cost", FEW, MANY)


def holds_linear(probe, cost: str, *numbers: int) -> bool:
    """The last of so many elements is found after a look at each."""
    looks = {pending: int(probe(f"{cost}.{pending}.remove_last")) for pending in numbers}
    return all(pending <= count <= pending + 1002 for pending, count in looks.items())


def test_a_removal_looks_at_every_element(probe):
    assert holds_linear(probe, "cost", FEW, MANY)


def holds_free_look(probe, cost: str, *numbers: int) -> bool:
    """To look at the head compares nothing; to take it compares two elements a level at most."""
    looks = {probe(f"{cost}.{pending}.peek") for pending in numbers}
    takes = {pending: int(probe(f"{cost}.{pending}.poll")) for pending in numbers}
    return looks == {"0"} and all(
        0 < count <= 2 * log2(pending + 1001) for pending, count in takes.items()
    )


def test_looking_at_the_head_compares_nothing_and_taking_it_does(probe):
    assert holds_free_look(probe, "cost", FEW, MANY)


@pytest.mark.parametrize(
    ("holds", "wrong"),
    [
        (holds_log_at_worst, "sorted"),
        (holds_two_or_three, "sorted"),
        (holds_log_at_worst, "unsorted"),
        (holds_linear, "unsorted"),
        (holds_free_look, "unsorted"),
        (holds_free_look, "sorted"),
    ],
)
def test_those_checks_reject_other_costs(probe, holds, wrong):
    assert not holds(probe, f"wrong.{wrong}.cost", FEW)


# -- Timer


def begun(article: str) -> list[int]:
    """When the three tasks begin, in ms, if they begin in their order."""
    names, times = zip(*(task.split("@") for task in article.split()))
    assert names == ("1", "2", "3")
    return [int(time) for time in times]


def test_the_third_task_of_a_timer_waits_for_the_slow_second(probe):
    """The article's program with 20 ms for a second: the third begins after 2 + 5 of them, not
    after 3.
    """
    assert probe("timer.besides") == "false"
    assert begun(probe("timer.article"))[2] >= 7 * 20 - 5


def test_that_check_sees_a_timer_with_two_threads(probe):
    assert probe("wrong.timer.besides") == "true"


def test_a_task_that_throws_stops_a_timer(probe):
    assert probe("timer.throwing") == "second false, then IllegalStateException"


def test_that_check_sees_an_executor_that_goes_on(probe):
    assert probe("wrong.timer.throwing") == "second true, then taken"


def test_a_timers_task_runs_once_or_until_it_is_cancelled(probe):
    assert probe("timer.runs") == "1 5"


def test_that_check_sees_a_task_that_is_not_cancelled(probe):
    assert probe("wrong.timer.runs") == "1 more than 5"


def test_a_cancelled_task_stays_in_a_timer_until_a_purge(probe):
    assert probe("timer.purged") == "500"


def test_that_check_sees_an_executor_that_removes_at_once(probe):
    assert probe("wrong.timer.purged") == "0"


def test_a_timers_due_times_are_those_of_the_wall_clock(probe):
    assert probe("timer.due_by_the_wall_clock") == "true"


def test_that_check_sees_another_clock(probe):
    assert probe("wrong.timer.due_by_the_wall_clock") == "false"


# -- without Java


def fake(folder, body: str):
    """A ``java`` of release 21 that does what the script says with anything but ``-version``."""
    launcher = folder / "bin" / "java"
    launcher.parent.mkdir()
    launcher.write_text(
        '#!/bin/sh\nif [ "$1" = -version ]; then\n'
        f"echo 'openjdk version \"21.0.1\"' >&2\nelse\n{body}\nfi\n"
    )
    launcher.chmod(0o755)
    return launcher


def test_without_a_compiler_nothing_is_judged(monkeypatch, tmp_path):
    fake(tmp_path, "echo java.base@21")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(
        NoJava, match="has no module jdk.compiler: it is a runtime without a compiler"
    ):
        jdk.launcher.__wrapped__()


def test_a_program_that_fails_is_an_error_and_no_verdict(monkeypatch, tmp_path):
    java = fake(tmp_path, "echo compilation failed >&2; exit 1")
    monkeypatch.setattr(jdk, "launcher", lambda: java)
    with pytest.raises(AssertionError, match="compilation failed"):
        jdk.run()
