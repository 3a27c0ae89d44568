"""The command on harnesses of Java: answers, exit codes, files, and a replay in a fresh process."""

import json
import shutil
from pathlib import Path

import pytest

from tests.docs.test_quotes import printed, unlike
from tests.examples.pages import ROOT, wheelproof
from wheelproof import java
from wheelproof.jvm.explore import harness as harnesses
from wheelproof.jvm.jars import NotHere

PAGE = (ROOT / "docs" / "verify-java.md").read_text(encoding="utf-8")
STOCK = ROOT / "examples" / "stock"


def commands():
    """Commands of the page that explore, each with the parts of its output."""
    shown = [entry for entry in printed(PAGE) if entry[0].startswith("wheelproof explore")]
    assert len(shown) == 3
    return shown


@pytest.mark.daily(3)
@pytest.mark.parametrize(("command", "parts"), commands())
def test_the_page_shows_what_its_commands_print(command, parts):
    code, output = wheelproof(ROOT, *command.split()[1:])
    assert code == (0 if "Sound" in command else 1)
    assert unlike(parts, output + "\n") == []
    wrong = [part.replace("every", "no").replace("bug", "no bug") for part in parts]
    assert unlike(wrong, output + "\n") != []


def harness(folder, body, fields="", imports=""):
    """A harness whose method run() has these lines."""
    file = folder / "Tried.java"
    text = f"{imports}\nclass Tried {{\n{fields}\n    void run() throws Exception {{\n{body}\n"
    file.write_text(text + "    }\n}\n", encoding="utf-8")
    return file


TWO = """
        Thread one = new Thread(() -> count++);
        Thread other = new Thread(() -> count++);
        one.start();
        other.start();
        one.join();
        other.join();
"""


EVERY_OTHER = "Seen.CALLS.add(1); if (Seen.CALLS.size() % 2 == 0) { "


def test_a_failing_order_runs_again_in_a_fresh_process(tmp_path):
    source = shutil.copy(STOCK / "StockRace.java", tmp_path)
    out = tmp_path / "out"
    code, _ = wheelproof(tmp_path, "explore", "--harness", "StockRace.java", "--output", str(out))
    assert code == 1
    (row,) = json.loads((out / "results.json").read_text(encoding="utf-8"))["rows"]
    assert (row["layer"], row["verdict"], row["property"]) == ("explore", "violated", "assertion")
    (trace,) = (out / "counterexamples").iterdir()
    code, output = wheelproof(tmp_path, "replay", str(trace))
    assert code == 1 and "count is -1" in output
    _, shown = wheelproof(tmp_path, "show", str(trace), "--width", "80")
    assert "Thread-2 is preempted" in shown
    text = (STOCK / "SoundStockRace.java").read_text(encoding="utf-8")
    (tmp_path / "StockRace.java").write_text(text.replace("SoundStockRace", "StockRace"))
    code, output = wheelproof(tmp_path, "replay", str(trace))
    assert code == 0 and "no longer possible" in output, (source, output)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("body", "options", "code", "words"),
    [
        ("int count = 1;", (), 5, "vacuous: no object is used by two threads"),
        (TWO, ("--bound", "0"), 0, "bounded: every order with at most 0 preemptions"),
        (TWO, ("--executions", "2"), 3, "budget: the search was ended after 2 runs"),
        (
            'Tried.class.getDeclaredField("count").set(this, 1);' + TWO,
            (),
            3,
            "unseen: Tried.run:5: Field.set by reflection is not looked into",
        ),
        (
            "var weak = new java.util.WeakHashMap<>();" + TWO.replace("count++", "weak.put(1, 1)"),
            (),
            3,
            "WeakHashMap.put is not looked into",
        ),
        (TWO + "new java.util.Timer();", (), 2, "Tried.java:12 makes a java.util.Timer"),
        (EVERY_OTHER + TWO + "}", (), 4, "nondeterministic"),
    ],
    ids=["vacuous", "bounded", "budget", "unseen", "weak", "refused", "nondeterministic"],
)
def test_an_answer_has_its_exit_code(tmp_path, body, options, code, words):
    seen = "    static class Seen { static final java.util.List<Integer> CALLS ="
    fields = f"    int count;\n{seen} new java.util.ArrayList<>(); }}"
    harness(tmp_path, body, fields if "Seen" in body else "    int count;")
    ended, output = wheelproof(tmp_path, "explore", "--harness", "Tried.java", *options)
    assert words in output and ended == code


def test_what_cannot_be_stepped_is_refused_before_anything_runs(tmp_path):
    mark = tmp_path / "ran"
    body = f'new java.io.File("{mark}").createNewFile(); new ProcessBuilder("a").start();'
    harness(tmp_path, body)
    code, output = wheelproof(tmp_path, "explore", "--harness", "Tried.java")
    assert code == 2 and "starts a process: it cannot be stepped" in output
    assert not mark.exists()


def test_a_class_that_does_not_load_is_no_answer_about_the_program(tmp_path):
    fields = '    static class Bad { static final int SIZE = Integer.parseInt("x"); }'
    harness(tmp_path, "int size = Bad.SIZE;", fields)
    code, output = wheelproof(tmp_path, "explore", "--harness", "Tried.java")
    assert code == 4 and "cannot be run" in output and "NumberFormatException" in output


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--harness", "None.java"), "There is no file None.java"),
        (("--harness", "Tried.txt"), "Tried.txt is no Java source"),
        (("--harness", "Tried.java", "--jar", "none.jar"), "There is no file none.jar"),
        (("--harness", "Tried.java", "--into", "a"), "--into is for tests in Python"),
        (("--harness", "Tried.java"), "does not compile"),
        (("--jar", "none.jar"), "--jar is for a harness of Java"),
        ((), "names no test"),
    ],
)
def test_bad_input_is_named_with_its_remedy(tmp_path, arguments, words):
    harness(tmp_path, "undefined();").with_suffix(".txt").write_text("")
    code, output = wheelproof(tmp_path, "explore", *arguments)
    assert code == 2 and words in output


def test_a_java_whose_class_files_cannot_be_read_is_named(monkeypatch):
    newest = java.Java(Path("java"), harnesses.NEWEST + 1, "PATH")
    monkeypatch.setattr(java, "locate", lambda *_: newest)
    with pytest.raises(NotHere, match="Java 17 to 24, and java is Java 25"):
        harnesses.prepare(STOCK / "StockRace.java", [])


def test_a_harness_without_a_run_is_named(tmp_path):
    (tmp_path / "Tried.java").write_text("class Tried { private void go() { } }\n")
    code, output = wheelproof(tmp_path, "explore", "--harness", "Tried.java")
    assert code == 2 and "Tried has no method run() without arguments" in output
