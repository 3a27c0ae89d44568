from dataclasses import replace

import pytest

from wheelproof.errors import UsageError
from wheelproof.tlc.mc import (
    LIBRARY,
    McConfig,
    closure,
    config_text,
    generate,
    module_text,
    without_comments,
)
from wheelproof.tlc.process import run
from wheelproof.tlc.result import Outcome
from wheelproof.tlc.values import ModelValue

IN_SIGHT = "Init /\\ [][Up \\/ Down]_step /\\ Fairness({1})"
MODULE = """\
------------------------------ MODULE MCRelayTwo ------------------------------
\\* Generated from spec/Relay.toml, config two; changes are lost.
\\* To run it by hand, in this folder:
\\*   java -cp "$TLA2TOOLS_JAR" tlc2.TLC MCRelayTwo
EXTENDS Relay, Integers, TLC

MC_Runners == {"a", "b"}
MC_Laps == -1
MC_Program ==
  (  "a" :> <<<<"add", "l1", "e1">>, <<"add", "l1", "e1">>, <<"add", "l1", "e1">>>>
  @@ "b" :> <<<<"cancel", "t1">>>>)
OnlyA == baton \\in {"a", "free"}
MCSpec == Init /\\ [][Next]_vars /\\ Fairness({"a"})
===============================================================================
"""

CONFIG = """\
\\* Generated from spec/Relay.toml, config two; changes are lost.
SPECIFICATION MCSpec
CHECK_DEADLOCK FALSE
CONSTANTS
  Runners <- MC_Runners
  Laps <- MC_Laps
  Program <- MC_Program
  NULL = null
INVARIANTS
  OnlyA
PROPERTIES
  Everybody
"""


def two(folder, **changes):
    fields = {
        "name": "MCRelayTwo",
        "spec": folder / "Relay.tla",
        "origin": "spec/Relay.toml, config two",
        "constants": {
            "Runners": {"b", "a"},
            "Laps": -1,
            "NULL": ModelValue("null"),
            "Program": {"a": [["add", "l1", "e1"]] * 3, "b": [["cancel", "t1"]]},
        },
        "definitions": {"OnlyA": 'baton \\in {"a", "free"}'},
        "specification": 'Init /\\ [][Next]_vars /\\ Fairness({"a"})',
        "invariants": ("OnlyA",),
        "properties": ("Everybody",),
        "deadlock_check": False,
    }
    return McConfig(**(fields | changes))


def test_text_of_module_and_config(tmp_path):
    assert module_text(two(tmp_path)) == MODULE
    assert config_text(two(tmp_path)) == CONFIG


def test_named_specification_is_named_in_the_config(tmp_path):
    named = two(tmp_path, specification="Spec")
    assert "SPECIFICATION Spec\n" in config_text(named) and "MCSpec" not in module_text(named)


def test_an_invariant_that_fails_in_one_state(tmp_path):
    first = two(tmp_path, first_only=True)
    assert (
        "ASSUME TLCSet(1000, FALSE)\n"
        "First_OnlyA == TLCGet(1000) \\/ OnlyA \\/ (TLCSet(1000, TRUE) /\\ FALSE)\n"
        "===" in module_text(first)
    )
    assert "INVARIANTS\n  First_OnlyA\n" in config_text(first)
    with pytest.raises(ValueError):
        module_text(two(tmp_path, first_only=True, invariants=("OnlyA", "OnlyB")))


def test_files_are_written_once_and_replaced_when_they_differ(spec, tmp_path):
    source = spec("Relay")
    files = generate(two(tmp_path), tmp_path / "build" / "mc")
    assert [file.name for file in (files.module, files.config, *files.copies)] == [
        "MCRelayTwo.tla",
        "MCRelayTwo.cfg",
        "Relay.tla",
    ]
    assert (
        files.module.read_text() == MODULE and files.copies[0].read_bytes() == source.read_bytes()
    )
    before = {file: file.stat().st_mtime_ns for file in (files.module, *files.copies)}
    source.write_text(source.read_text().replace("Runners pass", "Four pass"))
    generate(two(tmp_path), tmp_path / "build" / "mc")
    assert files.module.stat().st_mtime_ns == before[files.module]
    assert "Four pass" in files.copies[0].read_text()
    assert len(list(files.module.parent.iterdir())) == 3


COMMENTED = r"""(* before *) ---- MODULE M ----
EXTENDS Naturals  \* to the end: (* "
(* outer (* inner *) "still \* inside *) A == "(* kept *)" \o "\"(* kept"
B == (* one
  two *) 1 \* (* three
==== \* *)
"""


def test_comments_go_and_the_rest_stays_in_its_place():
    left = without_comments(COMMENTED)
    assert left.split("\n") == [
        " " * 13 + "---- MODULE M ----",
        "EXTENDS Naturals",
        " " * 41 + r'A == "(* kept *)" \o "\"(* kept"',
        "B ==",
        " " * 9 + "1",
        "====",
        "",
    ]
    for before, after in zip(COMMENTED.split("\n"), left.split("\n"), strict=True):
        assert all(new in (" ", old) for old, new in zip(before, after))


def test_a_run_on_bare_copies_has_the_same_result(spec, tmp_path, tools, shared):
    source = spec("Stair")
    found = []
    for bare in (False, True):
        files = generate(
            McConfig(
                "MCStair",
                source,
                "a test",
                constants={"Top": 3, "Trip": 99},
                specification="Loop",
                invariants=("BelowTop",),
            ),
            tmp_path / str(bare),
            bare=bare,
        )
        assert ("(*" in files.copies[0].read_text()) != bare
        found.append(
            replace(
                run(files.module, timeout=300, **tools, **shared),
                seconds=0.0,
                log=None,
                explanation="",
            )
        )
    assert found[0] == found[1] and found[0].trace[1].location


def test_closure_follows_extends_and_instance(spec):
    spec("Stair"), spec("Relay")
    hop = spec("Hop")
    assert [module.name for module in closure(hop)] == ["Hop.tla", "Stair.tla"]
    hop.with_name("Top.tla").write_text(
        "---- MODULE Top ----\nEXTENDS Naturals,\n  Hop, Relay\n====\n"
    )
    assert [module.name for module in closure(hop.with_name("Top.tla"))] == [
        "Hop.tla",
        "Relay.tla",
        "Stair.tla",
        "Top.tla",
    ]


def test_a_module_of_the_library_is_taken_where_the_folder_has_none(tmp_path):
    spec = tmp_path / "Door.tla"
    spec.write_text("---- MODULE Door ----\nEXTENDS Naturals, Conditions\n====\n")
    assert set(closure(spec)) == {spec, LIBRARY / "Conditions.tla"}
    files = generate(McConfig("MCDoor", spec, "a test"), tmp_path / "made")
    copies = {copy.name: copy.read_bytes() for copy in files.copies}
    assert copies["Conditions.tla"] == (LIBRARY / "Conditions.tla").read_bytes()
    own = tmp_path / "Conditions.tla"
    own.write_text("---- MODULE Conditions ----\n====\n")
    assert set(closure(spec)) == {own, spec}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Relay"}, "has to begin with MC"),
        ({"name": "MC-two"}, "'MC-two' where TLA"),
        ({"invariants": ("OneBaton OffFloor",)}, "'OneBaton OffFloor' where TLA"),
        ({"constants": {"Runners\n": 1}}, "where TLA"),
    ],
)
def test_names_that_would_change_the_config_are_refused(changes, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        config_text(two(tmp_path, **changes))
    with pytest.raises(UsageError, match=message):
        module_text(two(tmp_path, **changes))


def test_value_without_tla_form_and_absent_spec_are_refused(tmp_path):
    with pytest.raises(UsageError, match="has no TLA"):
        module_text(two(tmp_path, constants={"Laps": None}))
    with pytest.raises(UsageError, match=r"There is no module .*Relay.tla"):
        generate(two(tmp_path), tmp_path / "mc")


def test_tlc_takes_expressions_constants_and_copied_modules(check, shared):
    relay = {"constants": {"Runners": {"a", "b"}, "Laps": 1}, "properties": ("Everybody",)}
    fair = check(
        "Relay", **relay, specification="Init /\\ [][Next]_vars /\\ WF_vars(Next)", run=shared
    )
    assert fair.outcome is Outcome.COMPLETED, fair.explanation
    unfair = check(
        "Relay",
        **relay,
        specification="Init /\\ [][Next]_vars",
        run={"only_property": "Everybody"} | shared,
    )
    assert unfair.property == "Everybody" and unfair.stuttering
    hop = check("Hop", definitions={"NotYet": "place < 3"}, invariants=("NotYet",), run=shared)
    assert hop.property == "NotYet"


def test_tlc_needs_init_and_next_in_sight(check, shared):
    stair = {"constants": {"Top": 3, "Trip": 99}, "properties": ("ReachesTop",)}
    seen = check("Stair", **stair, specification=IN_SIGHT, run=shared)
    assert seen.outcome is Outcome.COMPLETED, seen.explanation
    hidden = check("Stair", **stair, specification="FairLoop({1})", run=shared)
    assert (
        hidden.outcome is Outcome.ERROR
        and "did not specify the initial state" in hidden.explanation
    )
