"""Labels and constants that a declaration leaves out are those that it would have."""

from pathlib import Path

import pytest

from wheelproof import project
from wheelproof.project import inferred

ROOT = Path(__file__).resolve().parents[3]
BUFFER = project.find(ROOT / "examples" / "bounded_buffer")["bounded_buffer"]
DOOR = project.find(ROOT / "examples" / "door")["door"]


def labels(mechanism):
    by_name = inferred.labels(mechanism.spec, mechanism.root / "impl" / f"{mechanism.name}.py")
    return {name: label.kind for name, label in by_name.items()}


def declared(mechanism):
    return {name: label.kind for name, label in mechanism.labels.items()}


OF_ONE_FILE = [
    mechanism
    for name in ("connection_pool", "door", "one_shot", "peterson")
    for mechanism in project.find(ROOT / "examples" / name).values()
    if (mechanism.root / "impl" / f"{mechanism.name}.py").is_file()
]


@pytest.mark.parametrize("mechanism", OF_ONE_FILE, ids=lambda mechanism: mechanism.name)
def test_labels_of_code_and_specification_are_those_that_are_declared(mechanism):
    assert labels(mechanism) == declared(mechanism)


def test_constants_have_the_fields_of_their_names():
    assert BUFFER.constants == {
        "Program": {"field": "threads", "as": "function"},
        "Capacity": {"field": "capacity", "as": "value"},
    }


def test_field_of_another_name_is_no_constant():
    assert set(inferred.constants(BUFFER.spec, {"capacities", "about"})) == {"Program"}


def test_declaration_without_its_tables_is_read_as_with_them(tmp_path):
    for place in ("spec/Door.tla", "impl/door.py", "spec/Door.toml"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        text = (DOOR.root / place).read_text(encoding="utf-8")
        if place.endswith(".toml"):
            parts = [
                part
                for part in text.split("\n\n")
                if not part.startswith(("[labels]", "[constants]"))
            ]
            assert len(parts) == len(text.split("\n\n")) - 2
            text = "\n\n".join(parts)
        (tmp_path / place).write_text(text, encoding="utf-8")
    mechanism = project.read(tmp_path / "spec" / "Door.toml")
    assert declared(mechanism) == declared(DOOR)
    assert mechanism.constants == DOOR.constants
    code = tmp_path / "impl" / "door.py"
    code.write_text(code.read_text(encoding="utf-8").replace("  # read E2", ""), encoding="utf-8")
    assert declared(project.read(mechanism.toml))["E2"] == "silent"


FAIR = """
[configs.a_alone]
scenario = "two_enter"
fair = ["a"]
expect = "violated"
"""


@pytest.mark.parametrize(
    "words", ["", '[properties.liveness]\nTermination = "all threads come through the door"\n\n']
)
def test_termination_is_declared_where_a_config_is_about_it(tmp_path, words):
    for place in ("spec/Door.tla", "impl/door.py", "spec/Door.toml"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        text = (DOOR.toml.parents[1] / place).read_text(encoding="utf-8")
        if place.endswith(".toml"):
            assert "properties.liveness" not in text
            text = text.replace("[model]", f"{words}[model]", 1) + FAIR
        (tmp_path / place).write_text(text, encoding="utf-8")
    mechanism = project.read(tmp_path / "spec" / "Door.toml")
    assert mechanism.properties["Termination"].kind == "liveness"
    says = mechanism.properties["Termination"].says
    assert (says == "all threads come through the door") is bool(words)
    assert mechanism.configs["a_alone"].property == "Termination"


def test_without_such_a_config_there_is_no_termination():
    pool = ROOT / "examples" / "bounded_buffer" / "spec" / "BoundedBuffer.toml"
    assert "Termination" not in project.read(pool).properties
