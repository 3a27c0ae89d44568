"""A specification drives a class of Java through every edge; planted faults are differences."""

import pytest

from tests.docs.reading import ROOT
from tests.examples.pages import wheelproof
from wheelproof.errors import ToolError, UsageError
from wheelproof.jvm import driven
from wheelproof.tla.driving.adapter import Raised
from wheelproof.tla.driving.driver import Driver
from wheelproof.tla.plain import exploration
from wheelproof.tla.plain.comparison import Subject
from wheelproof.tlc.values import Function

QUEUE = ROOT / "examples/job_queue"


@pytest.fixture(scope="module")
def machine():
    return Subject(QUEUE / "JobQueue.tla", QUEUE / "JobQueue.cfg").machine()


@pytest.fixture
def written(tmp_path):
    """A function: the text of an adapter's file, or two texts of the example's -> its place."""

    def place(old, new, name="Adapter"):
        text = (QUEUE / "JobQueue.java").read_text(encoding="utf-8")
        assert old in text
        (tmp_path / "JobQueue.java").write_text(text.replace(old, new), encoding="utf-8")
        return f"{tmp_path}/JobQueue.java:{name}"

    return place


def test_the_page_shows_what_the_command_prints():
    page = (ROOT / "docs/tla.md").read_text(encoding="utf-8")
    code, text = wheelproof(QUEUE, "tla", "JobQueue.tla", "--drive", "JobQueue.java:Adapter")
    assert code == 0 and f"JobQueue.java:Adapter\n```\n\n```\n{text}\n```" in page


FAULTS = {
    "another order": ("waiting.remove()", "((ArrayDeque<Integer>) waiting).removeLast()", "queue"),
    "never free": ("busy.remove(worker);", "", "holds is"),
    "an exception": ("busy.remove(worker);", "throw new RuntimeException();", "RuntimeException"),
    "a wrong start": ("JobQueue(2);", "JobQueue(2); { jobs.put(7); }", "queue is <<7>>"),
}


@pytest.mark.parametrize(
    "fault",
    [
        "another order",
        *(pytest.param(name, marks=pytest.mark.nightly) for name in list(FAULTS)[1:]),
    ],
)
def test_each_planted_fault_is_a_difference(fault, written, machine):
    old, new, words = FAULTS[fault]
    with driven.run(written(old, new)) as adapter:
        report = Driver(machine, adapter).cover(exploration.explore(machine))
    assert any(words in line for line in report.difference), report
    assert len(report.trail) <= 5, report.trail


ECHO = """
import java.math.BigInteger;
import java.util.*;

class Echo {
    enum Sort { LARGE }
    final Map<String, Object> values = new LinkedHashMap<>();
    void start(Map<String, Object> given) { values.putAll(given); }
    void Numbers(int a, long b, BigInteger c) { values.put("x", List.of(a, b, c)); }
    void Sets(Set<Object> a, Map<Object, Object> b) { values.put("x", new Object[] {a, b}); }
    void Words(String a, boolean b) { values.put("x", List.of(a, b, Sort.LARGE)); }
    void Wrong() { values.put("x", 0.5); }
    void Deep() { throw new IllegalStateException("too deep"); }
    void Endless() { while (true) { } }
    Map<String, Object> state() { System.out.println("noise"); return values; }
}
"""


def test_values_come_back_as_they_went_and_wrong_ones_are_refused(tmp_path, monkeypatch):
    (tmp_path / "Echo.java").write_text(ECHO, encoding="utf-8")
    with driven.run(f"{tmp_path}/Echo.java:Echo") as adapter:
        adapter.check(["Numbers"])
        with pytest.raises(UsageError, match="Echo has no method Missing"):
            adapter.check(["Missing"])
        program = adapter.begin({"y": ("a\u00e9", ())})
        assert program.state(("y",)) == {"y": ("a\u00e9", ())}
        pairs = Function({(1, 2): True, (2, 1): False})
        for action, arguments, value in (
            ("Numbers", (1, 2**40, 2**70), (1, 2**40, 2**70)),
            ("Sets", (frozenset({1, 2}), pairs), (frozenset({1, 2}), pairs)),
            ("Words", ("w", True), ("w", True, "LARGE")),
        ):
            program.act(action, arguments)
            assert program.state(("x", "y"))["x"] == value
        with pytest.raises(Raised, match="too deep"):
            program.act("Deep", ())
        with pytest.raises(UsageError, match="Numbers takes no 1 arguments"):
            program.act("Numbers", (1,))
        with pytest.raises(ToolError, match="has a tab or a line break"):
            program.act("Words", ("a\tb", True))
        with pytest.raises(UsageError, match="gives the variable"):
            program.state(("z",))
        program.act("Wrong", ())
        with pytest.raises(UsageError, match="Double, which is no TLA. value"):
            program.state(("x", "y"))
        monkeypatch.setattr(driven, "SECONDS", 1)
        with pytest.raises(UsageError, match="Endless has no answer within 1 s.*noise"):
            program.act("Endless", ())


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("old", "new", "name", "message"),
    [
        ("class Adapter", "class Other", "Adapter", "have no class of this name"),
        ("void Finish", "void finished", "Adapter", "no method Finish"),
        ("jobs.finish(worker)", "jobs.finish(worker", "Adapter", "does not compile"),
    ],
)
def test_a_wrong_adapter_is_refused(old, new, name, message, written, machine):
    with (
        pytest.raises(UsageError, match=message),
        driven.run(written(old, new, name)) as adapter,
    ):
        Driver(machine, adapter).cover(exploration.explore(machine))


def test_a_file_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match="There is no file X.java"), driven.run("X.java:Adapter"):
        pass
