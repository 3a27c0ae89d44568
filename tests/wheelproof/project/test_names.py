"""Names of a declaration are checked: files, modules and commands are made with them."""

import pytest

from wheelproof import project, starter
from wheelproof.errors import UsageError

SPEC = "spec/MyLock.toml"
PLACES = {
    "scenario": (SPEC, "[scenarios.two_adders]", "[scenarios.{}]"),
    "thread": (SPEC, "threads = { a =", "threads = { {} ="),
    "operation": (SPEC, 'b = "add 4"', 'b = [[{}, "4"]]'),
    "property": (SPEC, "NothingLost =", "{} ="),
    "constant": (SPEC, "Total =", "{} ="),
    "witness": (SPEC, 'witnesses = ["Waits"]', "witnesses = [{}]"),
    "result": (SPEC, 'result = "Result"', "result = {}"),
    "label": (SPEC, 'read = ["A2"]', "read = [{}]"),
    "variable": (SPEC, 'module = "MyLock"', 'module = "MyLock"\npc = {}'),
    "mutant": ("mutants/my_lock/Unlocked.md", "[Unlocked]", "[{}]"),
}
"""What has a name: the file, a text in it, and the text with another name, in quotes."""

HOSTILE = (
    "../../up",
    "a/b",
    "-rf",
    "a b",
    'a\\"b',
    "a'b",
    "$(id)",
    "a;b",
    "`id`",
    "a\\nb",
    "a\\u001b[31m",
    "é",
    "",
)


@pytest.fixture
def written(tmp_path):
    """A small project; a function that puts a name into it."""
    for place, text in starter.files("my_lock").items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text, encoding="utf-8")

    def written(place, name):
        file, old, new = PLACES[place]
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        (tmp_path / file).write_text(text.replace(old, new.replace("{}", name)), encoding="utf-8")
        return lambda: project.read(tmp_path / SPEC)

    return written


@pytest.mark.parametrize("place", PLACES)
def test_a_name_that_is_none_is_refused(written, place, tmp_path):
    texts = {file: (tmp_path / file).read_text(encoding="utf-8") for file, _, _ in PLACES.values()}
    for name in HOSTILE:
        if place == "result" and not name:
            continue  # it may be left out
        for file, text in texts.items():
            (tmp_path / file).write_text(text, encoding="utf-8")
        with pytest.raises(UsageError) as refused:
            written(place, f'"{name}"')()
        assert "is no name" in str(refused.value), refused.value


@pytest.mark.parametrize("place", PLACES)
def test_a_plain_name_is_taken_or_is_not_known(written, place):
    """The control: the texts above are put where names stand."""
    try:
        written(place, '"other"')()
    except UsageError as error:
        assert "there is no" in str(error) and "is no name" not in str(error)
