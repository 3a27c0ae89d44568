"""What lies outside of the subset is refused with module, line and operator, where it is needed."""

import xml.etree.ElementTree as ET

import pytest

from wheelproof.errors import ToolError, UsageError
from wheelproof.graph.explorer import explore
from wheelproof.tla import export, reader
from wheelproof.tla.model import Compiled
from wheelproof.tla.syntax import OutsideSubset, Place

MACHINE = """
CONSTANTS Program, NULL
Threads == DOMAIN Program
VARIABLES x, pc
vars == <<x, pc>>
Init == x = 0 /\\ pc = [t \\in Threads |-> "A1"]
A1(self) == /\\ pc[self] = "A1"
            /\\ {guard}
            /\\ {effect}
            /\\ pc' = [pc EXCEPT ![self] = "Done"]
{more}
Terminating == (\\A t \\in Threads : pc[t] = "Done") /\\ UNCHANGED vars
Next == (\\E self \\in Threads : A1(self)) \\/ Terminating {disjunct}
Small == {small}
"""


def machine(guard="TRUE", effect="x' = x + 1", more="", disjunct="", small="x < 5"):
    return MACHINE.format(guard=guard, effect=effect, more=more, disjunct=disjunct, small=small)


def number(text, marker):
    """The line of a marked text in its module; the head of the module is two lines."""
    return next(n for n, line in enumerate(text.splitlines(), start=3) if marker in line)


REFUSED = {
    "UnboundedChoice": (machine(small="x = CHOOSE y : TRUE"), "Small ==", "CHOOSE without a set"),
    "UnboundedQuantifier": (machine(small="\\E y : y = x"), "Small ==", "\\E without a set"),
    "Temporal": (machine(small="[](x < 5)"), "Small ==", "Small, a property of no state,"),
    "Infinite": (machine(small="\\E y \\in Nat : y = x"), "Small ==", "Nat of module Naturals"),
    "Remembered": (machine(small="TLCGet(1) = x"), "Small ==", "TLCGet of module TLC"),
    "Primed": (machine(small="x' = x"), "Small ==", "Small, a property of no state,"),
    "Enabled": (machine(small="ENABLED (x' = 1)"), "Small ==", "ENABLED"),
    "NoNextValue": (machine(effect="x = 0"), 'pc[self] = "A1"', "gives x no value"),
    "PrimedEarly": (machine(effect="x' = x'"), "x' = x'", "x' before the step gives it a value"),
    "PrimedFormula": (machine(guard="(x + 1)' = 1"), "(x + 1)'", "a primed formula"),
    "NoLabel": (machine(disjunct="\\/ Odd", more="Odd == x' = 7 /\\ pc' = pc"), "Odd ==", "Odd, a"),
    "NoName": (machine(disjunct="\\/ x' = 7"), "x' = 7", "a disjunct of Next that is not a"),
    "Parameters": (
        machine(
            more="B1(t, u) == pc[t] = \"B1\" /\\ x' = u /\\ pc' = pc",
            disjunct="""
        \\/ \\E t \\in Threads : B1(t, 1)""",
        ),
        "B1(t, u) ==",
        "a step with several parameters",
    ),
}

UNFIT = {
    "TwoStarts": (
        machine().replace("x = 0 /\\", "x \\in {0, 1} /\\"),
        "has 2 initial states",
    ),
    "AnotherThread": (
        machine(effect="x' = x").replace("![self]", '!["a"]'),
        "changes pc of another thread than its own",
    ),
    "NoThreads": (machine().replace("[t \\in Threads |->", "[t \\in {9} |->"), "no function over"),
    "FalseAssumption": (machine(more="ASSUME Named == Threads = {}"), "breaks ASSUME Named"),
    "NoValue": (machine(guard="Head(<<>>) = 1"), "A1 of a has no value in a state"),
    "Lacking": (machine().replace("NULL", "NULL, Other"), "the constant Other"),
}


@pytest.fixture(scope="module")
def compiled(modules):
    files = modules({name: text[0] for name, text in (REFUSED | UNFIT).items()})
    return lambda name: Compiled(export.load(files[name]))


def run(compiled):
    model = compiled.model({"Program": {"a": [], "b": []}, "NULL": "null"}, ("a", "b"))
    graph = explore(model)
    return [model.holds("Small", state) for state in graph.states]


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_outside_is_refused_with_module_line_and_operator(name, compiled):
    text, marker, operator = REFUSED[name]
    with pytest.raises(OutsideSubset) as caught:
        run(compiled(name))
    assert caught.value.exit_code == 2 and "docs/tla.md" in str(caught.value)
    place = f"module {name}, line {number(text, marker)}"
    if name == "Infinite":  # the operator is a module's own
        assert operator in str(caught.value)
    assert str(caught.value).startswith(place) and operator in str(caught.value), str(caught.value)


@pytest.mark.parametrize("name", UNFIT)
def test_a_module_that_is_no_algorithm_of_the_scenario_is_refused(name, compiled):
    with pytest.raises(UsageError if name != "NoValue" else Exception) as caught:
        run(compiled(name))
    assert f"module {name}" in str(caught.value) and UNFIT[name][1] in str(caught.value)


def test_what_is_outside_and_not_needed_is_no_error(modules):
    text = machine(more="Unused == CHOOSE y : TRUE")
    module = export.load(modules({"Unneeded": text})["Unneeded"])
    assert run(Compiled(module)) == [True] * 4


BROKEN = {
    "Unknown": ("x == y + 1", "Unknown operator: `y'"),
    "Unparsable": ("x == (1 + ", "Unparsable"),
    "NoFile": ("EXTENDS Nowhere", "Nowhere"),
}


def test_sany_refusals_name_the_module(tmp_path):
    for name, (text, message) in BROKEN.items():
        file = tmp_path / f"{name}.tla"
        head = "" if "EXTENDS" in text else "EXTENDS Integers\n"
        file.write_text(f"---- MODULE {name} ----\n{head}{text}\n====\n")
        with pytest.raises(UsageError) as caught:
            export.load(file)
        assert f"SANY refuses {name}.tla: " in str(caught.value) and message in str(caught.value)


@pytest.mark.parametrize(
    "xml", [b"", b"<?xml", b"<modules/>", b"<modules><RootModule>M</RootModule>"]
)
def test_xml_that_is_not_sanys_is_a_tool_error(xml):
    with pytest.raises(ToolError, match="SANY's XML cannot be read"):
        reader.read(xml)


LOCATION = (
    b"<NumeralNode><location><column><begin>3</begin><end>9</end></column><line><begin>11</begin>"
    b"<end>12</end></line><filename>Box</filename></location></NumeralNode>"
)


def test_a_place_is_the_same_in_its_short_form():
    short = reader._LOCATION.sub(reader._SHORT, LOCATION)
    assert short == b'<NumeralNode><location line="11" file="Box"/></NumeralNode>'
    for text in (LOCATION, short):
        assert reader._place(ET.fromstring(text)) == Place("Box", 11)


def test_a_place_of_another_form_is_read_as_it_stands():
    spaced = LOCATION.replace(b"><line", b"> <line")
    assert reader._LOCATION.sub(reader._SHORT, spaced) == spaced
    assert reader._place(ET.fromstring(spaced)) == Place("Box", 11)
    lacking = LOCATION.replace(b"<begin>11</begin>", b"")
    with pytest.raises(KeyError, match="no <begin>"):
        reader._place(ET.fromstring(reader._LOCATION.sub(reader._SHORT, lacking)))
