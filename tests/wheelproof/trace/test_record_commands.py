"""``wheelproof trace record``: schedules, mechanisms and counterexamples that are recorded."""

from __future__ import annotations

import pytest

from tests.wheelproof.trace.recorded import ROOT
from tests.wheelproof.trace.test_commands import invoke


@pytest.mark.parametrize("extra", [(), ("--random", "3")])
def test_what_is_recorded_conforms(tmp_path, extra):
    file = tmp_path / "one.jsonl"
    result = invoke(
        "record", "timer_task_list", "flush_add_cancel", "-o", file, "--subject", ROOT, *extra
    )
    assert result.exit_code == 0 and "events of 3 threads" in result.output
    result = invoke("check", file)
    assert result.exit_code == 0 and "1 conforms of 1 traces" in result.output


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("mechanism", "scenario"),
    [
        ("delayed_operation", "callers_lock"),
        ("delayed_operation", "blocking_three"),
        ("system_timer", "canceller"),
    ],
)
@pytest.mark.parametrize("extra", [(), ("--random", "5")])
def test_other_mechanisms_are_recorded_too(tmp_path, mechanism, scenario, extra):
    file = tmp_path / "one.parquet"
    result = invoke("record", mechanism, scenario, "-o", file, "--subject", ROOT, *extra)
    assert result.exit_code == 0 and "events of" in result.output
    result = invoke("check", file)
    assert result.exit_code == 0 and "1 conforms of 1 traces" in result.output


def test_a_mutant_of_an_operation_is_recorded_by_a_counterexample(tmp_path):
    from wheelproof.counterexample.document import Counterexample, Step

    steps = [
        ("a", "E1"),
        ("a", "B1"),
        ("a", "B2"),
        ("x", "L1"),
        ("x", "L2"),
        ("x", "L3"),
        ("x", "L4"),
        ("x", "L5"),
        ("x", "D1"),
    ]
    Counterexample(
        mechanism="delayed_operation",
        layer="mutant",
        name="P11",
        scenario="blocking",
        property="TryExcludesComplete",
        explanation="",
        model_without="P11",
        impl_without="P11",
        threads=("a", "b", "x"),
        initial={},
        steps=tuple([Step(thread, label, "read") for thread, label in steps]),
    ).write(tmp_path / "p11.json")
    file = tmp_path / "p11.jsonl"
    assert (
        invoke(
            "record",
            "delayed_operation",
            "--schedule",
            tmp_path / "p11.json",
            "-o",
            file,
            "--subject",
            ROOT,
        ).exit_code
        == 0
    )
    result = invoke("replay", file)
    assert (
        result.exit_code == 1
        and "x can show no force_cas there" in result.output
        and "possible here" in result.output
    )


def test_a_random_schedule_is_recorded_alike_each_time(tmp_path):
    for name in ("one", "two"):
        assert (
            invoke(
                "record",
                "timer_task_list",
                "readd",
                "-o",
                tmp_path / name / "trace.jsonl",
                "--random",
                8,
                "--subject",
                ROOT,
            ).exit_code
            == 0
        )
    assert (tmp_path / "one/trace.jsonl").read_bytes() == (
        tmp_path / "two/trace.jsonl"
    ).read_bytes()


def test_the_steps_of_a_counterexample_are_recorded(tmp_path):
    from wheelproof.counterexample.document import Counterexample, Step

    steps = [
        ("f", label)
        for label in [
            "F1",
            "F2",
            "U1",
            "U2",
            "U3",
            "U4",
            "U5",
            "U6",
            "U7",
            "U8",
            "U9",
            "U10",
            "U11",
            "F3",
        ]
    ]
    steps += [("c", label) for label in ["C1", "C2", "R1", "C3", "C4"]] + [
        ("f", label) for label in ["K1", "K2", "F2", "F4"]
    ]
    Counterexample(
        mechanism="timer_task_list",
        layer="mutant",
        name="M9",
        scenario="expire_cancel",
        property="CancelWins",
        explanation="",
        model_without="M9",
        impl_without="M9",
        threads=("f", "c"),
        initial={},
        steps=tuple([Step(thread, label, "read") for thread, label in steps]),
    ).write(tmp_path / "m9.json")
    file = tmp_path / "m9.jsonl"
    assert (
        invoke(
            "record",
            "timer_task_list",
            "--schedule",
            tmp_path / "m9.json",
            "-o",
            file,
            "--subject",
            ROOT,
        ).exit_code
        == 0
    )
    result = invoke("replay", file)
    assert (
        result.exit_code == 1
        and "CheckBeforeHandOver" in result.output
        and "f can show no expire_submit there" in result.output
    )
