"""SystemTimer's specification: constants, assumptions, and its own decisions."""

import re

import pytest

from tests.model.artefacts import ROOT
from tests.model.system_timer import ARTEFACTS, MECHANISM, NAME
from tests.spec.texts import assumptions, declared, refused_assumption
from wheelproof.checks.context import Context
from wheelproof.project.mechanism import Config
from wheelproof.python import (
    ControlledImplementation,
    bisimulate,
    labels,
)
from wheelproof.tlc.result import Outcome

SPEC = MECHANISM.spec.read_text(encoding="utf-8")


# -- labels


def in_code(of: ControlledImplementation):
    """Label -> kind under control: the mechanism's own modules, and some labels of those below."""
    return {
        label: kind
        for lines in of.labels.values()
        for of_line in lines.values()
        for kind, label in of_line.items()
    }


def test_what_the_wheel_and_the_list_are_labelled_with_is_kept_by_name():
    """Their other steps belong to mechanisms of their own, and are no steps here."""
    below = [
        labels.kinds_by_name(labels.of_source((ROOT / "impl" / f"{name}.py").read_text("utf-8")))
        for name in ("timing_wheel", "timer_task_list")
    ]
    found = set(in_code(ControlledImplementation.load(ROOT, NAME)))
    assert found - set(declared(ARTEFACTS)) == {"W1", "W2", "W3", "W4", "V1", "V2", "V3", "F2"}
    assert {"W5", "V4", "V5"} <= set(below[0]) - found and {"A9", "U9"} <= set(below[1]) - found


def test_a_label_that_the_implementation_lacks_is_seen():
    text = ARTEFACTS.source("impl")
    assert text.count("  # update R4") == 1
    changed = ControlledImplementation.load(
        ROOT, NAME, texts={f"impl.{NAME}": text.replace("  # update R4", "")}, lint=False
    )
    assert "R4" not in in_code(changed)


# -- names


def test_the_constants_of_the_specification_are_those_of_the_toml():
    constants = set(
        re.findall(
            r"^  (\w+),? +\\\* ",
            SPEC[SPEC.index("CONSTANTS") : SPEC.index("Entries ==")],
            re.MULTILINE,
        )
    )
    assert constants == set(MECHANISM.constants)


BEYOND_THE_TIMER = {
    "two_workers": {"StartsInOrder"},
    "closing": {"EveryTimerFires"},
    "closed": {"EveryTimerIsTried"},
}
"""Scenarios with more executor threads than Kafka's or a shutdown, and the broken properties.

No decision is taken away in them.
"""


def test_an_executor_of_two_threads_or_one_that_is_shut_down_breaks_what_it_should():
    for scenario, broken in BEYOND_THE_TIMER.items():
        assert {
            config.property
            for config in MECHANISM.configs.values()
            if config.scenario == scenario and config.expect == "violated"
        } == broken


def test_kafkas_refusal_loses_what_the_corrected_one_keeps():
    """D6: the rest of the bucket is in no queue, late, and no thread tries it.

    Each task that ran did so once, in time and uncancelled.
    """
    kafka = MECHANISM.configs["kafka_closing"]
    assert (
        set(kafka.fails) == {"QueuedOnceWithItsKey", "LatenessBound", "BystandersInTime"}
        and not MECHANISM.configs["closing"].fails
    )
    kept = {
        "TypeOK",
        "NotEarly",
        "FiredOnce",
        "StartsInOrder",
        "RunsOncePerAdd",
        "CancelWins",
        "CounterExact",
        "KeyBeforeDeadline",
    }
    assert set(MECHANISM.invariants_of(kafka)) == kept
    tried = {
        config.scenario: config.expect
        for config in MECHANISM.configs.values()
        if config.property == "EveryTimerIsTried"
    }
    assert tried == {
        "closing": "exhaustive",
        **dict.fromkeys(("closed", "kafka_closing", "kafka_closed"), "violated"),
    }


def test_what_does_not_hold_is_shown_with_nothing_taken_away():
    shown = {
        config.property
        for config in MECHANISM.configs.values()
        if config.expect == "violated"
        and not config.without
        and config.fair is None
        and MECHANISM.scenarios[config.scenario]["timer"] == "SystemTimer"
        and config.scenario not in BEYOND_THE_TIMER
    }
    assert (
        shown
        == {name for name, of in MECHANISM.properties.items() if not of.holds}
        == {"CancelledUnlinked"}
    )


def test_no_decision_is_without_a_mutant_that_needs_it_or_says_why_not():
    rows = MECHANISM.mutants.values()
    assert {mutant.decision for mutant in rows} | {
        entry.mutant for entry in MECHANISM.composed.values() if entry.mutant
    } == set(MECHANISM.decisions)
    assert all(bool(mutant.property) != bool(mutant.equivalent) for mutant in rows)
    killed = {mutant.decision for mutant in rows if mutant.property}
    assert not killed & {mutant.decision for mutant in rows if mutant.equivalent}
    assert {"D1", "M8", "M9", "M10", "M13", "M17", "M19"} <= killed


def test_kafkas_order_breaks_what_the_corrected_one_keeps():
    rows = {
        mutant.property: mutant.scenario
        for mutant in MECHANISM.mutants.values()
        if mutant.decision == "D1"
    }
    assert rows == {
        "QueuedOnceWithItsKey": "stalled_adder",
        "KeyBeforeDeadline": "stalled_adder",
        "LatenessBound": "stalled_adder",
        "BystandersInTime": "bystander",
    }
    kept = MECHANISM.configs["kafka_order_fires"]
    assert MECHANISM.scenarios[kept.scenario]["timer"] == "KafkaTimer"
    assert kept.expect == "exhaustive" and kept.property == "EveryTimerFires", "late, never lost"


BROKEN_BY_D1 = ("QueuedOnceWithItsKey", "KeyBeforeDeadline", "LatenessBound", "BystandersInTime")


def test_kafkas_order_has_every_scenario_and_keeps_all_that_D1_does_not_break():
    """Each scenario but the largest is there in both orders; the named properties fail."""
    shown = {
        config.property
        for config in MECHANISM.configs.values()
        if config.expect == "violated"
        and MECHANISM.scenarios[config.scenario]["timer"] == "KafkaTimer"
        and config.scenario not in ("kafka_closing", "kafka_closed")
    }
    assert shown == set(BROKEN_BY_D1)
    for name, config in list(MECHANISM.configs.items()):
        if (
            name == config.scenario
            and not name.startswith("kafka_")
            and name not in ("three_adders", "two_workers", "closing")
        ):
            kafka = MECHANISM.configs[f"kafka_{name}"]
            assert MECHANISM.scenarios[kafka.scenario] == MECHANISM.scenarios[name] | {
                "timer": "KafkaTimer"
            }
            assert (
                kafka.expect == "exhaustive"
                and set(kafka.fails) <= set(BROKEN_BY_D1)
                and not config.fails
            )
    assert set(MECHANISM.configs["kafka_bystander"].fails) == set(BROKEN_BY_D1)
    assert not MECHANISM.configs["kafka_closed"].fails, "no reaper flushes"


def test_both_orders_are_in_the_implementation_and_neither_model_takes_the_other_for_its_own():
    """The bisimulation of either model with the other implementation ends in a difference.

    The steps that both orders have get the names that they have in the other one.
    """
    text = ARTEFACTS.source("impl")
    subject = ControlledImplementation.load(ROOT, NAME)
    for mine, other, names, difference in (
        ("stalled_adder", "kafka_stalled_adder", ("Q", "R"), "takes R5 next, R3 in the model"),
        ("kafka_stalled_adder", "stalled_adder", ("R", "Q"), "takes R3 next, R5 in the model"),
    ):
        rows = ARTEFACTS.rows(mine)
        assert bisimulate(subject, MECHANISM.scenarios[mine], *rows).outcome == "equal"
        there, here = names
        renamed = re.sub(rf"\b(update|lock|unlock) {there}([126])\b", rf"\1 {here}\2", text)
        found = bisimulate(
            ControlledImplementation.load(ROOT, NAME, texts={f"impl.{NAME}": renamed}, lint=False),
            MECHANISM.scenarios[other],
            *rows,
        )
        assert found.outcome == "different" and f"reaper {difference}" in str(found.difference)


def test_no_step_asks_which_timer_it_is():
    """The specification asks where a thread's program calls the reaper's procedure, once."""
    algorithm = SPEC[SPEC.index("--algorithm") : SPEC.index("end algorithm")]
    steps, program = algorithm.split("fair process thread")
    assert asks_for_the_timer(program) == 1 and not asks_for_the_timer(steps)
    planted = steps.replace("writer := self;", 'if Timer = "KafkaTimer" then skip; end if;')
    assert asks_for_the_timer(planted) == steps.count("writer := self;") > 0


def asks_for_the_timer(text):
    return len(re.findall(r"\bTimer\b", re.sub(r"\\\*.*", "", text)))


def test_every_operation_is_in_a_scenario_of_every_run():
    programs = [
        program
        for name in ARTEFACTS.fast
        for program in MECHANISM.scenarios[name]["threads"].values()
    ]
    names = re.search(r"^Names +== \{(.+)\}$", SPEC, re.MULTILINE)[1]
    assert {operation for program in programs for operation, *_ in program} == set(
        re.findall(r'"(\w+)"', names)
    )


# -- assumptions

SIZES = r"WheelSize >= 2 /\ Levels >= 1"
BAD = {
    SIZES: [{"WheelSize": 1}, {"Levels": 0}],
    "TimerIsKnown": [{"Timer": "Timer"}],
    "EveryEntryHasADeadline": [{"Deadline": {"far": 3}}, {"Deadline": {"far": -1, "near": 1}}],
    "ProgramsAreOperations": [{"Program": {"adder": [["put", "far"]]}}],
}


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name, constants", [(name, constants) for name, each in BAD.items() for constants in each]
)
def test_an_assumption_refuses_what_it_is_there_for(name, constants, tmp_path):
    """TLC stops at this assumption before it looks at any state."""
    result = Context(MECHANISM, tmp_path).tlc(
        "bad", Config("bad", "one_adder", constants=constants), deadlock=True
    )
    module = tmp_path / "mc" / MECHANISM.module / "bad" / f"MC{MECHANISM.module}_bad.tla"
    assert result.outcome is Outcome.ERROR and result.exit_code == 10
    log = module.with_suffix(".log").read_text(encoding="utf-8")
    assert refused_assumption(log, SPEC) == name and "states generated" not in log


def test_every_assumption_has_its_bad_constants():
    assert set(assumptions(SPEC)) == set(BAD)


def test_a_step_is_shown_in_the_timer_that_the_scenario_runs(tmp_path):
    """A counterexample points to the lines of its own timer; both share what follows the lock."""
    text = ARTEFACTS.source("impl").splitlines()
    kafka = 1 + next(i for i, line in enumerate(text) if line.startswith("class KafkaTimer"))
    places = {
        timer: Context(MECHANISM, tmp_path).sources(scenario=scenario)
        for timer, scenario in (
            ("SystemTimer", "stalled_adder"),
            ("KafkaTimer", "kafka_stalled_adder"),
        )
    }
    assert (
        int(places["SystemTimer"]["R2"].rpartition(":")[2])
        < kafka
        < int(places["KafkaTimer"]["Q2"].rpartition(":")[2])
    )
    for label in ("A2", "R4"):
        assert places["SystemTimer"][label] == places["KafkaTimer"][label], "it inherits them"
