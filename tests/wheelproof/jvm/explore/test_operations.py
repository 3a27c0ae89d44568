"""A class of operations instead of threads: it is linearizable by itself, or a program is not."""

import pytest

from tests.examples.pages import ROOT, wheelproof

TILL = """
class Till {
    private int money = 2;

    LOCK boolean payOut(int amount) {
        if (amount <= money) {
            money = money - amount;
            return true;
        }
        return false;
    }

    LOCK int observe() {
        return money;
    }
}
"""

GATE = """
class Gate {
    private boolean open;

    synchronized void pass() throws InterruptedException {
        while (!open) {
            wait();
        }
    }

    synchronized void open() {
        open = true;
        NOTIFY();
    }
}
"""

LATE = """
class Late {
    private Thread writer;
    private int readers;
    private boolean written;

    synchronized void put() {
        writer = Thread.currentThread();
        written |= WHEN;
    }

    boolean get() {
        synchronized (this) {
            readers++;
        }
        synchronized (this) {
            readers--;
            boolean result = written || writer == Thread.currentThread();
            written |= readers == 0 && writer != null;
            return result;
        }
    }

    boolean observe() {
        return written || writer != null;
    }
}
"""


def explored(folder, name, text, *options):
    (folder / f"{name}.java").write_text(text)
    return wheelproof(folder, "explore", "--harness", f"{name}.java", *options)


def test_equal_calls_fail_again_in_a_fresh_process_until_the_class_is_mended(tmp_path):
    text = (ROOT / "examples" / "stock" / "Stock.java").read_text(encoding="utf-8")
    code, output = explored(tmp_path, "Stock", text, "--output", "out")
    failure = "bug: not linearizable: T1 take(): true, T2 take(): true, observe(): -1"
    assert code == 1 and failure in output
    (trace,) = (tmp_path / "out" / "counterexamples").iterdir()
    code, output = wheelproof(tmp_path, "replay", str(trace))
    assert code == 1 and failure in output
    mended = text.replace("boolean take", "synchronized boolean take")
    code, output = explored(tmp_path, "Stock", mended)
    assert code == 0 and "exhausted: every order of each of 5 programs" in output
    code, output = wheelproof(tmp_path, "replay", str(trace))
    assert code == 0 and "no longer possible" in output


@pytest.mark.nightly
def test_calls_are_named_with_their_arguments(tmp_path):
    code, output = explored(tmp_path, "Till", TILL.replace("LOCK ", ""))
    assert code == 1
    for words in (
        "bug: not linearizable: T1 payOut(1): true, T2 payOut(1): true, observe(): 1",
        "no order of the operations explains these results:",
        "after T1 payOut(1), T2 payOut(1): observe() would give 0, not 1",
        "1 preemption, the fewest with which it fails",
    ):
        assert words in output
    code, output = explored(tmp_path, "Till", TILL.replace("LOCK", "synchronized"))
    assert code == 0 and "exhausted: every order of each of" in output


@pytest.mark.nightly
def test_a_call_that_has_returned_comes_before_one_that_begins_later(tmp_path):
    code, output = explored(tmp_path, "Late", LATE.replace("WHEN", "readers == 0"))
    assert code == 1 and "T3 get()" in output and "it is not their order in time" in output
    code, output = explored(tmp_path, "Late", LATE.replace("WHEN", "true"))
    assert code == 0 and "exhausted" in output


@pytest.mark.nightly
def test_a_wait_that_another_operation_should_end_is_a_lost_wake_up(tmp_path):
    code, output = explored(tmp_path, "Gate", GATE.replace("NOTIFY", "notify"))
    assert code == 1 and "pass() waits for ever" in output
    assert "would not wait alone, after the operations that have returned" in output


@pytest.mark.nightly
def test_a_wait_that_would_come_alone_too_is_excused(tmp_path):
    code, output = explored(tmp_path, "Gate", GATE.replace("NOTIFY", "notifyAll"))
    assert code == 0 and "exhausted" in output


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("operations", "words"),
    [
        ("void put(Thread key) { }", "put takes a java.lang.Thread, of which no values are drawn"),
        ("void put(int key) { } void put(long key) { }", "two operations read as put(0)"),
        ("Tried(int size) { } void put() { }", "Tried has no constructor without arguments"),
    ],
)
def test_operations_that_cannot_be_called_are_named(tmp_path, operations, words):
    code, output = explored(tmp_path, "Tried", f"class Tried {{ {operations} }}")
    assert code == 2 and words in output and "Give it a constructor without arguments" in output


@pytest.mark.nightly
def test_constants_of_an_enum_are_arguments(tmp_path):
    text = """
        class Kept {
            enum Colour { RED, GREEN, BLUE }
            private Colour last = Colour.RED;
            Colour swap(Colour colour) { Colour before = last; last = colour; return before; }
        }
    """
    code, output = explored(tmp_path, "Kept", text)
    assert code == 1 and "swap(GREEN): RED" in output and "BLUE" not in output


@pytest.mark.nightly
def test_a_program_that_is_not_run_to_its_end_is_no_pass(tmp_path):
    text = TILL.replace("LOCK", "synchronized")
    code, output = explored(tmp_path, "Till", text, "--executions", "2")
    assert code == 3 and "budget: the search of" in output
