"""Classes that are believed to be correct: the table names each, and an alarm is seen."""

import pytest

from benchmarks.sound import __main__ as sound
from benchmarks.sound import of_python
from tests.found import ROOT

TABLE = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")


def test_the_table_has_every_class_and_all_are_exhausted():
    part = TABLE.partition("<!-- sound: the output")[2].partition("<!-- sound: end -->")[0]
    rows = [line.split(" | ") for line in part.splitlines() if line.startswith("| ")][1:]
    assert [row[0].removeprefix("| ") for row in rows] == [s.name for s in sound.SUBJECTS]
    assert {row[1] for row in rows} == {"exhausted"}


def test_a_class_of_python_is_exhausted(capsys):
    assert sound.main(["--classes", "Event", "--programs", "2"]) == 0
    assert "| exhausted | every order of 2 of 2 programs |" in capsys.readouterr().out


class Unlocked(of_python.Semaphore):
    """A planted fault: it counts without a lock."""

    def __init__(self):
        super().__init__()
        self.left = 1

    def acquire(self):
        if self.left:
            self.left -= 1
            return True
        return False

    def release(self):
        self.left += 1


def test_an_alarm_fails_the_command(monkeypatch, capsys):
    monkeypatch.setattr(of_python, "Semaphore", Unlocked)
    operations = ["acquire", "release"]
    subject = sound.Subject("a planted fault", "of_python:Semaphore", operations)
    monkeypatch.setattr(sound, "SUBJECTS", (subject,))
    assert sound.main(["--programs", "10"]) == 1
    assert "| bug | not linearizable" in capsys.readouterr().out


def test_an_unknown_module_is_an_error(monkeypatch):
    monkeypatch.setattr(sound, "SUBJECTS", (sound.Subject("none", "of_nothing:None"),))
    monkeypatch.setattr(sound.environments, "packages", lambda name, pins: ROOT)
    with pytest.raises(ModuleNotFoundError):
        sound.main([])
