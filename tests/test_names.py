"""The counts of bare names and free relatives, on small modules."""

import ast

import pytest

from tools import names

SOURCE = '''
"""What is kept, and who reads it. Is it what you want? ``what`` is code."""

class Seen:
    """A thing that is seen."""

    kept: int = 0
    """Whatever is left."""

    def made(self, of, *own, rows=(), **given):
        found, self.known = [each for each in rows], 1
        found = found + [1]
        with open(of) as taken:
            return lambda one: (found, taken, one)

try:
    pass
except OSError as left:
    pass
match 1:
    case [mine, *wanted]:
        _seen = mine
seed = ended = 1
'''


def counted(tmp_path, text):
    file = tmp_path / "module.py"
    file.write_text(text, encoding="utf-8")
    count = names.Count()
    names.add_file(file, "module.py", count)
    return count


def test_each_scope_counts_a_bound_name_once(tmp_path):
    count = counted(tmp_path, SOURCE)
    assert dict(count.bare) == {
        **dict.fromkeys(("made", "of", "own", "given", "found", "each", "taken", "one"), 1),
        **dict.fromkeys(("kept", "left", "mine", "wanted", "seen", "ended"), 1),
    }
    assert count.refused == 13 and count.names == 13 + len(("self", "rows", "seed", "ended"))
    assert "module.py:11: found" in count.places


def test_free_relatives_count_and_questions_do_not(tmp_path):
    count = counted(tmp_path, SOURCE)
    assert count.relatives == 3
    assert [place for place in count.places if "hat" in place] == [
        "module.py:2: 'What is kept, and who reads it.    is co'",
        "module.py:8: 'Whatever is left.'",
    ]


def test_names_come_in_order_of_scopes_and_lines():
    tree = ast.parse("def f(b):\n    a = b\n    def g():\n        a = 1\n")
    assert list(names.bound(tree)) == [("f", 1), ("b", 1), ("a", 2), ("g", 3), ("a", 4)]


@pytest.mark.parametrize(
    ("allowed", "says"),
    [
        ({"impl": (2, 1)}, []),
        ({"impl": (3, 4)}, []),
        ({"impl": (1, 1)}, ["impl: 2 bare names, 1 allowed (each 2): use a noun"]),
        (
            {"impl": (2, 0)},
            [
                'impl: 1 free relatives, 0 allowed: name the thing that "what" and "who" stand for',
            ],
        ),
        ({"impl": (2, 1), "gone": (1, 1)}, ["gone: no such folder"]),
    ],
)
def test_a_folder_has_no_more_than_it_is_allowed(allowed, says):
    count = names.Count(9, names.Counter({"each": 2, "ended": 3}), 100, 1)
    assert list(names.faults({"impl": count}, allowed)) == says


def test_a_number_is_lowered_and_never_raised():
    count = names.Count(9, names.Counter({"each": 2}), 100, 5)
    text = names.render({"impl": count, "model": names.Count()}, {"impl": (3, 4)})
    assert text.endswith('"impl" = [2, 4]\n') and "model" not in text
    assert names.render({"impl": count}, None).endswith('"impl" = [2, 5]\n')
    assert "impl" not in names.render({"impl": count}, {})


@pytest.mark.parametrize("line", ["impl = 3", "impl = [1]", "impl = ['a', 1]"])
def test_a_line_of_the_table_that_is_no_budget_is_named(tmp_path, line):
    (tmp_path / "tools").mkdir()
    (tmp_path / names.TABLE).write_text(line, encoding="utf-8")
    with pytest.raises(ValueError, match="impl: two numbers, not"):
        names.budgets(tmp_path)
