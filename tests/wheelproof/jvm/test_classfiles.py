"""A release whose class files are those of another one: compared, and refused if they differ."""

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from wheelproof.errors import UsageError
from wheelproof.jvm import classfiles, declaration, tasks

ROOT = Path(__file__).resolve().parents[3]
BINDING = bindings()["timer_task_list"]
FILES = {
    f"{name}.class": name.encode()
    for name in (*BINDING.classes, f"{BINDING.classes[0]}$1", f"{BINDING.classes[0]}Other")
}


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """The verdict on a release, whose jar has other files than that of the first release."""

    def judge(changes, lacking=()):
        def jar(release):
            file = tmp_path / f"{release}.jar"
            with zipfile.ZipFile(file, "w") as made:
                for name, content in {**FILES, **(changes if release == "b" else {})}.items():
                    if name not in lacking:
                        made.writestr(name, content)
            return [file]

        monkeypatch.setattr(classfiles, "jars_of", lambda root, release, fetch: jar(release))
        binding = replace(BINDING, releases=("a", "b"), same={"b": "a"})
        return classfiles.measure(ROOT, binding, "b")

    return judge


def test_equal_files_are_the_same_classes_whatever_else_is_in_the_jar(judged):
    found = judged({f"{BINDING.classes[0]}Other.class": b"else"})
    assert found["verdict"] == "exhaustive"
    assert found["figures"] == {"classes": len(BINDING.classes) + 1}, "with the nested one"


@pytest.mark.parametrize(
    "name",
    [f"{BINDING.classes[1]}.class", f"{BINDING.classes[0]}$1.class"],
    ids=["class", "nested"],
)
def test_a_file_with_another_byte_is_named(judged, name):
    found = judged({name: FILES[name] + b"."})
    assert (found["verdict"], found["property"]) == ("violated", "SameClasses")
    assert found["why"] == f"not the class files of a: {name}"


def test_a_nested_class_more_is_named(judged):
    found = judged({f"{BINDING.classes[0]}$2.class": b"more"})
    assert found["verdict"] == "violated" and "$2.class" in found["why"]


def test_a_release_without_the_classes_shows_nothing(judged):
    found = judged({}, lacking=(f"{BINDING.classes[0]}.class",))
    assert found["verdict"] == "vacuous" and BINDING.classes[0] in found["why"]


def test_the_first_jar_that_has_a_class_counts(tmp_path):
    jars = [tmp_path / "one.jar", tmp_path / "two.jar"]
    for jar in jars:
        with zipfile.ZipFile(jar, "w") as made:
            made.writestr("a/B.class", jar.name)
    one, two = (classfiles.digests(order, ["a/B"]) for order in (jars, jars[::-1]))
    assert one != two and list(one) == ["a/B.class"]


def test_such_a_release_has_the_comparison_alone_and_the_other_one_all():
    mechanism = mechanisms()["timer_task_list"]
    for release, other in BINDING.same.items():
        kinds = [task.kind for task in tasks.of_release(BINDING, release, mechanism)]
        assert kinds == ["classes"]
        assert "scenario" in {task.kind for task in tasks.of_release(BINDING, other, mechanism)}


@pytest.mark.parametrize(
    "table",
    [
        '"4.3.0" = "4.1.0"\n',
        '"4.1.0" = "9.9.9"\n',
        '"4.1.0" = "4.3.0"\n"4.0.0" = "4.1.0"\n',
        '"4.1.0" = "4.1.0"\n',
    ],
)
def test_a_release_cannot_have_the_classes_of_a_later_or_compared_one(tmp_path, table):
    text = BINDING.file.read_text(encoding="utf-8")
    before, rest = text.split("[same]\n")
    (tmp_path / "wrong.toml").write_text(
        f"{before}[same]\n{table}\n[labels]{rest.split('[labels]', 1)[1]}", encoding="utf-8"
    )
    with pytest.raises(UsageError, match="same: .* cannot have the classes of"):
        declaration.read(tmp_path / "wrong.toml")
