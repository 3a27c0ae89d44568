"""Jobs: each row is made by one job, mutants share jobs, and errors reach every row."""

import gc
import weakref
from dataclasses import replace

import pytest

from tests.model import delayed_operation, timing_wheel
from tests.model.timer import MECHANISM
from wheelproof.checks import jobs, workers
from wheelproof.checks import mutant as layer
from wheelproof.checks.context import Context
from wheelproof.checks.job import MutantJob, SafetyJob, carry_out
from wheelproof.checks.jobs import kind_of, plan
from wheelproof.errors import ToolError
from wheelproof.events import Ended
from wheelproof.project.mechanism import Mutant
from wheelproof.verdict import Results, Verdict, exit_code

WHEEL = timing_wheel.MECHANISM


def only(*layers):
    return lambda *names: bool(set(layers) & set(names))


def groups(mechanism, profile="fast"):
    """The names of each job of mutants."""
    return [job.names for job in plan(mechanism, profile, only("mutant")) if job.kind == "mutant"]


# -- in which order they run


def job(mechanism, weight):
    return SafetyJob(mechanism, f"of_{weight}", ("tlc",), weight)


def test_the_longest_jobs_begin_first_and_the_others_run_mechanism_by_mechanism():
    short = [job(name, weight) for weight in (1, 3, 2) for name in ("one", "other")]
    long = [job("other", 500), job("one", 900)]
    assert workers.order(short[:3] + long + short[3:], 2) == [
        *(job("one", 900), job("other", 500)),
        *(job("one", weight) for weight in (3, 2, 1)),
        *(job("other", weight) for weight in (3, 2, 1)),
    ]


def test_of_few_jobs_all_are_long():
    few = [job("one", 1), job("other", 3), job("one", 2)]
    assert [each.weight for each in workers.order(few, 2)] == [3, 2, 1]


def test_a_process_holds_what_the_last_mechanisms_have_compiled_and_no_more(tmp_path):
    gc.freeze()  # the search goes through what is made from now on
    names = [f"number_{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    contexts = workers.Contexts(
        {name: replace(MECHANISM, name=name) for name in names},
        lambda mechanism: Context(mechanism, tmp_path),
    )
    held = [weakref.ref(contexts.of(name).mechanism) for name in names]
    gc.collect()
    assert [each() is not None for each in held] == [
        at >= len(names) - workers.HELD for at in range(len(names))
    ]
    last = contexts.of(names[-1])
    assert contexts.of(names[-1]) is last and last.mechanism.name == names[-1]


# -- which jobs there are


def test_mutants_of_one_decision_and_scenario_are_one_job():
    found = groups(WHEEL)
    assert (
        ("M12", "M12_lost") in found
        and ("M17_late", "M17_slot", "M17_bucket") in found
        and ("M11",) in found
    )
    assert ("WrongSlot", "WrongSlot_keys") in found and ("WrongSlot_late",) in found, (
        "the same decision in another scenario has other graphs"
    )
    for names in found:
        assert (
            len({(WHEEL.mutants[name].decision, WHEEL.mutants[name].scenario) for name in names})
            == 1
        )
    alike = [
        frozenset((WHEEL.mutants[name].decision, WHEEL.mutants[name].scenario) for name in names)
        for names in found
    ]
    assert len(alike) == len(set(alike)), "no two jobs make the same graphs"


@pytest.mark.parametrize("mechanism", [WHEEL, MECHANISM], ids=lambda mechanism: mechanism.name)
def test_every_mutant_is_in_one_job(mechanism):
    assert sorted(name for names in groups(mechanism, "nightly") for name in names) == sorted(
        mechanism.mutants
    )


def test_a_scenario_of_one_thread_has_no_stress_rounds():
    found = runs(WHEEL, "nightly", "stress")
    alone = {name for name, scenario in WHEEL.scenarios.items() if len(scenario["threads"]) == 1}
    assert "four_buckets" in alone and not alone & found and found
    assert "four_buckets" in runs(WHEEL, "nightly", "random")


def runs(mechanism, profile, layer):
    return {job.name for job in plan(mechanism, profile, only(layer)) if job.kind == "runs"}


def test_one_job_has_both_layers_of_a_scenario_that_runs_a_number_of_times():
    found = {
        job.name: job.layers
        for job in plan(WHEEL, "fast", lambda *names: True)
        if job.kind == "runs"
    }
    assert {name for name, of in found.items() if "random" in of} == runs(WHEEL, "fast", "random")
    assert {name for name, of in found.items() if "stress" in of} == runs(WHEEL, "fast", "stress")
    assert ("random", "stress") in found.values()


@pytest.mark.parametrize("layer", ["random", "stress"])
def test_large_scenarios_run_by_night_and_each_mechanism_has_some_by_day(monkeypatch, layer):
    def size(name):
        return jobs.size_of(WHEEL.configs[name])

    day, night = runs(WHEEL, "fast", layer), runs(WHEEL, "nightly", layer)
    assert day and day < night and "cascade" in night - day
    assert max(map(size, day)) <= jobs.BY_DAY < size("cascade")
    monkeypatch.setattr(jobs, "BY_DAY", 0)
    assert runs(WHEEL, "fast", layer) == {min(day, key=size)}
    assert runs(WHEEL, "nightly", layer) == night


def test_a_nightly_mutant_is_in_no_job_of_the_fast_profile():
    late = replace(
        WHEEL,
        mutants=WHEEL.mutants | {"M12_lost": replace(WHEEL.mutants["M12_lost"], profile="nightly")},
    )
    assert ("M12",) in groups(late) and ("M12", "M12_lost") in groups(late, "nightly")
    first = replace(
        WHEEL, mutants=WHEEL.mutants | {"M12": replace(WHEEL.mutants["M12"], profile="nightly")}
    )
    assert ("M12_lost",) in groups(first)


def test_a_job_counts_its_rows():
    found = {
        job.name: job for job in plan(WHEEL, "fast", lambda *names: True) if job.kind == "mutant"
    }
    assert (
        found["M17_late"].rows == 3
        and found["M11"].rows == 1
        and found["M17_late"].weight > found["M12"].weight > found["M11"].weight
    )
    assert sum(job.rows for job in found.values()) == len(WHEEL.mutants)
    assert SafetyJob("x", "c", ("tlc", "graph", "bisimulation")).rows == 3
    assert SafetyJob(
        "x", "c", ("tlc", "bisimulation", "liveness"), others=("ends", "fires")
    ).makes == [("tlc", "c"), ("bisimulation", "c"), ("liveness", "ends"), ("liveness", "fires")]


def test_liveness_that_holds_is_in_the_job_of_its_safety_config():
    found = plan(WHEEL, "fast", lambda *names: True)
    assert {job.name: job.others for job in found if job.kind == "config" and job.others} == {
        "cascade": ("cascade_fires",),
        "two_withdrawn": ("withdrawn_is_handed",),
    }
    assert [job.name for job in found if job.kind == "liveness"] == ["unfair_reaper"]
    made = [each for job in found for each in job.makes if each[0] == "liveness"]
    assert sorted(made) == sorted(
        ("liveness", config.name)
        for config in WHEEL.configs.values()
        if kind_of(WHEEL, config) == "liveness" and config.profile == "fast"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"fair": ("a",)},
        {"expect": "violated"},
        {"specification": "HSpec"},
        {"without": "M12"},
        {"constants": {"N": 1}},
        {"scenario": "other"},
    ],
)
def test_liveness_of_another_machine_has_a_run_of_its_own(change):
    live = WHEEL.configs["cascade_fires"]
    configs = [WHEEL.configs["cascade"], live]
    assert jobs.decided_too(WHEEL, configs) == {"cascade_fires": "cascade"}
    assert jobs.decided_too(WHEEL, [configs[0], replace(live, **change)]) == {}


def test_a_config_that_must_fail_is_in_the_job_of_one_that_holds():
    mechanism = delayed_operation.MECHANISM
    found = plan(mechanism, "nightly", lambda *names: True)
    together = {job.name: job.broken for job in found if job.kind == "config" and job.broken}
    assert together["two_completers_expirer"] == ("pending_beside_complete",)
    made = [each for job in found for each in job.makes]
    assert len(made) == len(set(made)) and ("graph", "pending_beside_complete") in made
    alone = plan(mechanism, "nightly", lambda *names: True, apart=True)
    assert not any(job.broken for job in alone if job.kind == "config")
    assert {each for job in alone for each in job.makes} == set(made)


@pytest.mark.parametrize(
    "change", [{"scenario": "other"}, {"without": "M12"}, {"constants": {"N": 1}}, {"module": "M"}]
)
def test_a_config_that_must_fail_on_another_machine_has_a_job_of_its_own(change):
    holds = WHEEL.configs["cascade"]
    fails = replace(holds, name="fails", expect="violated", property="TypeOK")
    assert jobs.broken_too(WHEEL, [fails, holds]) == {"fails": "cascade"}
    assert jobs.broken_too(WHEEL, [replace(fails, **change), holds]) == {}


def test_a_layer_that_is_not_wanted_has_no_job():
    kinds = {
        name: {job.kind for job in plan(WHEEL, "fast", only(name))}
        for name in ("mutant", "random", "tlc", "liveness", "stress")
    }
    assert kinds == {
        "mutant": {"mutant"},
        "random": {"runs", "race"},
        "tlc": {"config"},
        "liveness": {"liveness"},
        "stress": {"runs", "fault"},
    }
    assert [job.name for job in plan(WHEEL, "fast", only("random")) if job.kind == "race"] == [
        "M13"
    ]


# -- one that fails

UNDERFLOW = MECHANISM.mutants["M19_underflow"]
OTHER = Mutant("Other", UNDERFLOW.decision, UNDERFLOW.scenario, "AtMostOneList")
TWO = replace(MECHANISM, mutants={"M19_underflow": UNDERFLOW, "Other": OTHER})


@pytest.fixture
def heard(context):
    """A context, and the rows that it says have ended."""
    ended = []
    return replace(
        context,
        mechanism=TWO,
        listen=lambda notice: ended.append(notice.row) if isinstance(notice, Ended) else None,
    ), ended


@pytest.mark.parametrize(
    "error, says",
    [
        (ToolError("TLC is not there.", "Fetch it."), "TLC is not there."),
        (MemoryError(), "out of memory"),
        (RecursionError("too deep"), "the checker broke: too deep"),
        (ZeroDivisionError("by zero"), "ZeroDivisionError: by zero (at refuse, line"),
    ],
)
def test_an_error_is_a_row_for_each(heard, monkeypatch, error, says):
    context, ended = heard

    def refuse(*arguments, **options):
        raise error

    monkeypatch.setattr(Context, "explored", refuse)
    (job,) = plan(TWO, "fast", only("mutant"))
    assert job.names == ("M19_underflow", "Other")
    rows = carry_out(context, job).rows
    assert [(row.name, row.layer, row.verdict, row.ok) for row in rows] == [
        (name, "mutant", Verdict.ERROR, False) for name in job.names
    ]
    assert all(says in row.why for row in rows) and ended == rows


def test_a_job_of_one_mutant_has_one_error(heard, monkeypatch):
    context, ended = heard
    monkeypatch.setattr(layer, "check", lambda context, mutants: 1 / 0)
    assert [row.name for row in carry_out(context, MutantJob("x", "Other", ("mutant",))).rows] == [
        "Other"
    ] and len(ended) == 1


def breaks(owner, name, when):
    """The method, which raises as soon as ``when(self)``."""
    whole = getattr(owner, name)

    def method(self, *arguments, **options):
        return 1 / 0 if when(self) else whole(self, *arguments, **options)

    return method


def one_run(rows):
    """Whether rows can be those of one run: no two are called alike."""
    return Results(tuple(rows), {}, "run", "now").rows == tuple(rows)


def test_rows_made_before_the_error_stay_and_are_reported_once(heard, monkeypatch):
    context, ended = heard
    monkeypatch.setattr(
        layer._Kill,
        "judge",
        breaks(layer._Kill, "judge", lambda kill: kill.mutant.name == "Other"),
    )
    (job,) = plan(TWO, "fast", only("mutant"))
    rows = carry_out(context, job).rows
    assert [(row.name, row.verdict, row.ok) for row in rows] == [
        ("M19_underflow", Verdict.VIOLATED, True),
        ("Other", Verdict.ERROR, False),
    ]
    assert ended == rows and one_run(ended)


def test_a_config_whose_bisimulation_breaks_has_its_other_rows(heard, monkeypatch):
    context, ended = heard
    monkeypatch.setattr(
        Context, "implementation", breaks(Context, "implementation", lambda context: True)
    )
    (job,) = [
        job
        for job in plan(TWO, "fast", only("tlc", "graph", "bisimulation"))
        if job.name == "remove_cancel"
    ]
    assert job.layers == ("tlc", "graph", "bisimulation")
    rows = carry_out(context, job).rows
    assert {row.layer: (row.verdict, row.ok) for row in rows} == {
        "tlc": (Verdict.EXHAUSTIVE, True),
        "graph": (Verdict.EXHAUSTIVE, True),
        "bisimulation": (Verdict.ERROR, False),
    }
    assert ended == rows and one_run(ended) and exit_code(rows) == 4


def test_of_two_rows_with_one_title_one_would_hide_the_other(heard, monkeypatch):
    """Why a row may be reported once only."""
    context, ended = heard
    for _ in range(2):
        context.row("mutant", "Other", 0.0, expected="exhaustive", verdict=Verdict.ERROR, why="")
    with pytest.raises(
        ValueError, match="several rows are called timer_task_list / mutant / Other"
    ):
        one_run(ended)


def test_liveness_of_a_large_model_has_a_run_of_tlc_of_its_own():
    live = WHEEL.configs["cascade_fires"]
    safe = WHEEL.configs["cascade"]
    largest = replace(safe, distinct=jobs.DUMPED)
    assert jobs.decided_too(WHEEL, [largest, live]) == {"cascade_fires": "cascade"}
    assert jobs.decided_too(WHEEL, [replace(safe, distinct=jobs.DUMPED + 1), live]) == {}
