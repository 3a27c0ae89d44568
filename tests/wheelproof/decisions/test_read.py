"""A decision's file: what is read from it, and what is refused."""

import pytest

from wheelproof import decisions
from wheelproof.errors import UsageError

SHORT = {"spec": "spec/Cell.tla", "model": "model/cell.py", "impl": "impl/cell.py"}
TEXT = """# M1: an add takes no lock

Two adders read the same value.

The second paragraph.

```diff
@@ spec S1
-S1: await lock = NULL;
+S1: skip;
```

```diff
@@ impl Cell.add
-with self.lock:
+if True:
```

```toml
[M1]
scenario = "two"
property = "Exact"

[M1_alone]
scenario = "one"
equivalent = "one thread needs no lock"

[labels.X1]
kind = "read"
```
"""


def read(folder, text, name="M1"):
    file = folder / f"{name}.md"
    file.write_text(text, encoding="utf-8")
    return decisions.read(file, SHORT)


def test_a_changed_file_is_read_again_and_each_reader_has_its_own_tables(tmp_path):
    first = read(tmp_path, TEXT)
    first.mutants["M1"]["property"] = "Another"
    first.labels["X2"] = {}
    assert read(tmp_path, TEXT).mutants["M1"]["property"] == "Exact"
    assert list(read(tmp_path, TEXT).labels) == ["X1"]
    assert read(tmp_path, TEXT.replace("takes no lock", "waits")).title == "an add waits"
    assert read(tmp_path, TEXT).title == "an add takes no lock"


def test_title_prose_hunks_mutants_and_labels(tmp_path):
    found = read(tmp_path, TEXT)
    assert (found.name, found.title) == ("M1", "an add takes no lock")
    assert found.prose == "Two adders read the same value.\n\nThe second paragraph."
    assert [(hunk.file, hunk.anchor, hunk.line) for hunk in found.hunks] == [
        ("spec/Cell.tla", "S1", 8),
        ("impl/cell.py", "Cell.add", 14),
    ]
    assert list(found.mutants) == ["M1", "M1_alone"] and found.mutants["M1"]["property"] == "Exact"
    assert found.labels == {"X1": {"kind": "read"}}
    assert found.files == ("spec/Cell.tla", "impl/cell.py")


def test_the_table_of_mutants_may_be_missing(tmp_path):
    assert read(tmp_path, TEXT[: TEXT.index("```toml")]).mutants == {}


def test_all_files_of_a_folder_are_found_by_name(tmp_path):
    read(tmp_path, TEXT)
    read(tmp_path, TEXT.replace("M1", "Other"), "Other")
    assert list(decisions.find(tmp_path, SHORT)) == ["M1", "Other"]
    assert decisions.find(tmp_path / "none", SHORT) == {}


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("# M1: an", "# M2: an", "M1.md:1: the title is 'M2: an add takes no lock'"),
        ("# M1: an add takes no lock\n", "", "M1.md:1: the title is ''"),
        ("```diff", "```", "M1.md: there is no hunk"),
        ("[M1]\n", "[M1\n", "M1.md:20: not valid TOML"),
        ("[M1]\n", "", "M1.md:20: scenario belongs to no mutant"),
        (
            "```toml\n",
            "```toml\n[M3]\n```\n\n```toml\n",
            "M1.md:24: there is a second block of TOML",
        ),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path, old, new, message):
    with pytest.raises(UsageError) as refused:
        read(tmp_path, TEXT.replace(old, new))
    assert message in str(refused.value), str(refused.value)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(UsageError, match="M1.md: cannot be read"):
        decisions.read(tmp_path / "M1.md", SHORT)
    found = read(tmp_path, TEXT)
    with pytest.raises(UsageError, match="M1.md:8: @@ spec/Cell.tla S1: the file cannot be read"):
        found.texts(tmp_path)
