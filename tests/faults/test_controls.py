"""The row `controls` names each property that no config checks or that nothing violates."""

from dataclasses import replace

import pytest

from tests.model.timer import MECHANISM
from wheelproof.checks import controls
from wheelproof.checks.context import Context
from wheelproof.project.mechanism import Property
from wheelproof.verdict import exit_code

PROPERTIES = [item.name for item in MECHANISM.properties.values() if item.holds]
LIVENESS = [
    name for name in PROPERTIES if MECHANISM.properties[name].kind in ("liveness", "refinement")
]


def judged(tmp_path, **changes):
    return controls.controls(Context(replace(MECHANISM, **changes), tmp_path))


def without(table, unwanted):
    return {name: item for name, item in table.items() if not unwanted(item)}


def test_the_mechanism_itself_has_its_controls(tmp_path):
    row = judged(tmp_path)
    assert row.ok and row.figures["controls"] > len(PROPERTIES)
    assert (row.figures["properties"], row.figures["non_properties"]) == (len(PROPERTIES), 1)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_property_that_nothing_violates(tmp_path, name):
    racing = (
        {key: replace(mutant, data_race=False) for key, mutant in MECHANISM.mutants.items()}
        if name == "NoDataRace"
        else MECHANISM.mutants
    )
    row = judged(
        tmp_path,
        configs=without(
            MECHANISM.configs,
            lambda config: config.expect == "violated" and config.property == name,
        ),
        mutants=without(racing, lambda mutant: mutant.property == name),
    )
    assert (row.verdict, exit_code([row])) == ("vacuous", 5)
    remedy = "; a mutant of what the lock guards shows a race with data_race = true"
    assert row.why.endswith(
        f"no config and no mutant shows that {name} can fail"
        + (remedy if name == "NoDataRace" else "")
    )


@pytest.mark.parametrize("name", LIVENESS)
def test_a_property_of_runs_that_no_config_checks(tmp_path, name):
    row = judged(
        tmp_path,
        configs=without(
            MECHANISM.configs,
            lambda config: config.expect == "exhaustive" and config.property == name,
        ),
    )
    assert row.verdict == "vacuous" and row.why.endswith(f"no config checks {name}")


def test_properties_of_states_without_a_config_that_is_to_pass(tmp_path):
    row = judged(
        tmp_path,
        configs=without(
            MECHANISM.configs, lambda config: config.expect == "exhaustive" and not config.property
        ),
    )
    assert (
        row.verdict == "vacuous"
        and "no config checks TypeOK, AtMostOneList" in row.why
        and "NoDeadlock, NoDataRace" in row.why
    )


def test_a_property_that_is_switched_off_by_a_word(tmp_path):
    """CounterExact has a mutant that violates it, and no config without a mutant that does."""
    off = replace(MECHANISM.properties["CounterExact"], holds=False)
    row = judged(tmp_path, properties=MECHANISM.properties | {"CounterExact": off})
    assert row.verdict == "vacuous" and row.why.endswith(
        "no config shows that CounterExact fails, which is declared not to hold"
    )


def test_a_non_property_whose_config_takes_a_decision_away(tmp_path):
    config = MECHANISM.configs["cancelled_unlinked"]
    row = judged(
        tmp_path,
        configs=MECHANISM.configs
        | {config.name: replace(config, without="M8")}
        | {
            "atomic_cancelled_unlinked": replace(
                MECHANISM.configs["atomic_cancelled_unlinked"], property="Refines"
            )
        },
    )
    assert row.verdict == "vacuous" and "CancelledUnlinked" in row.why


def test_a_property_that_is_only_declared(tmp_path):
    row = judged(
        tmp_path,
        properties=MECHANISM.properties | {"Fast": Property("Fast", "liveness", "it is fast")},
    )
    assert row.why.endswith(
        "no config checks Fast; no config and no mutant shows that Fast can fail"
    )


ALGORITHM = """
---- MODULE Steps ----
(* It may have to await what is due, when it is due. *)
\\* with care
(*--algorithm Steps
variables x = 0;  \\* await it
process thread \\in {1, 2} begin
A1: BODY
end process;
end algorithm; *)
"""


@pytest.mark.parametrize(
    "body, waits",
    [
        ("x := x + 1;", False),
        ("either x := 1; or x := 2; end either;", False),
        ("await x = 0;", True),
        ("when x = 0;", True),
        ("with y \\in {z \\in 1..2 : z > x} do x := y; end with;", True),
    ],
)
def test_a_specification_whose_steps_may_wait_needs_a_deadlock_as_control(tmp_path, body, waits):
    (tmp_path / "spec").mkdir()
    toml = tmp_path / "spec" / "Steps.toml"
    toml.with_suffix(".tla").write_text(ALGORITHM.replace("BODY", body), encoding="utf-8")
    assert controls.can_wait(replace(MECHANISM, toml=toml)) is waits


def test_a_module_without_an_algorithm_is_taken_to_wait(tmp_path):
    toml = tmp_path / "Steps.toml"
    toml.with_suffix(".tla").write_text("---- MODULE Steps ----\n====\n", encoding="utf-8")
    assert controls.can_wait(replace(MECHANISM, toml=toml))
