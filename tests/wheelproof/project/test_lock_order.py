"""The documented order of locks: how it is read, and what is refused."""

import pytest

from wheelproof.errors import UsageError
from wheelproof.project.lock_order import read

SOUND = """
[classes]
"A.lock" = "the first"
"B.lock" = "the second"

[edges."A.lock(write) -> B.lock"]
"impl/a.py A.enter A1" = ["one", "two (nightly)"]

[edges."B.lock -> A.lock(read)"]
"impl/b.py B.leave" = ["two"]

[stand_ins]
"B.lock" = ["A.lock"]

[exceptions.back]
edges = ["B.lock -> A.lock(read)"]
reason = "no thread enters by then"
scenarios = ["two/leaves"]
"""


def declared(tmp_path, text):
    (tmp_path / "harness").mkdir()
    (tmp_path / "harness" / "locks.toml").write_text(text, encoding="utf-8")
    return read(tmp_path, ("one", "two"))


def test_a_project_needs_no_declaration(tmp_path):
    assert read(tmp_path, ("one",)) is None


def test_a_declaration_is_read(tmp_path):
    found = declared(tmp_path, SOUND)
    place = ("A.lock(write) -> B.lock", "impl/a.py A.enter A1")
    assert found.edges_of("one", ("fast",)) == {place}
    assert found.edges_of("two", ("fast",)) == {("B.lock -> A.lock(read)", "impl/b.py B.leave")}
    assert place in found.edges_of("two", ("fast", "nightly"))
    assert found.stand_ins == {"B.lock": ("A.lock",)}
    assert found.exempt == {"B.lock -> A.lock(read)"}
    assert found.exceptions["back"].scenarios == ("two/leaves",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[classes]", "[classes", "not valid TOML"),
        ("[exceptions.back]", "[exemptions.back]", r"\[exemptions\]: is unknown"),
        ('"the first"', '" "', r"\[classes\]: A.lock has no text"),
        ('"A.lock" = "the first"\n', "", "A.lock is not in"),
        ("A.lock(write) -> B.lock", "A.lock(write) to B.lock", "is no edge"),
        ('["one", "two (nightly)"]', "[]", "names no mechanism"),
        ('["one", "two (nightly)"]', '["three"]', "names three, which is no mechanism"),
        ('edges = ["B.lock ->', 'edges = ["C.lock ->', "names C.lock -> A.lock"),
        ('edges = ["B.lock -> A.lock(read)"]', "edges = []", "names no edge"),
        ('edges = ["B.lock -> A.lock(read)"]', 'edges = "B"', "edges must be a list"),
        ('"no thread enters by then"', '""', "reason has no text"),
        ('["A.lock"]', "[]", "B.lock names no lock"),
        ('["A.lock"]', '["C.lock"]', "C.lock is not in"),
        ("reason =", "why =", "unknown field why"),
        ("two/leaves", "leaves", "scenarios: leaves is none"),
        ("two/leaves", "three/leaves", "scenarios: three/leaves is none"),
    ],
)
def test_a_wrong_declaration_is_refused(tmp_path, old, new, message):
    assert SOUND.count(old) == 1
    with pytest.raises(UsageError, match=message):
        declared(tmp_path, SOUND.replace(old, new))
