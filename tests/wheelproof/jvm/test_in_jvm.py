"""Released classes in the JVM, on small scenarios, with planted faults: each must be reported."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from tests.nights import only
from wheelproof.checks import jvm as layer
from wheelproof.checks.context import Context
from wheelproof.counterexample import document, replay
from wheelproof.errors import NothingChecked, ToolError, UsageError
from wheelproof.graph import reduced
from wheelproof.jvm import declaration, product, tasks
from wheelproof.jvm.jars import NotHere
from wheelproof.jvm.process import Jvm
from wheelproof.jvm.setup import prepare
from wheelproof.jvm.table import table_faults
from wheelproof.jvm.values import Encoder
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
BINDING = bindings()["timer_task_list"]
MECHANISM = mechanisms()["timer_task_list"]
RELEASE = BINDING.releases[0]
TIMING_WHEEL = bindings()["timing_wheel"]


def compared(jvm, binding, scenario, fine=False, change=""):
    jvm.load(binding, change)
    program = MECHANISM.scenarios[scenario]
    graph = reduced.reduce(MECHANISM.model(scenario), MECHANISM.silent)
    jvm.begin(binding, program, fine)
    found = jvm.explore(20_000, 300)
    encoder = Encoder(graph.model, program)
    return found, product.compare(found, graph, reduced.rows(graph), encoder)


@pytest.mark.parametrize(
    "scenario", only(["two_adders", "remove_cancel", "expire_cancel"], "remove_cancel")
)
@pytest.mark.parametrize("fine", [False, True])
def test_released_classes_are_the_model(jvm, scenario, fine):
    found, made = compared(jvm, BINDING, scenario, fine)
    assert found.complete and not found.faults
    assert made.difference is None and not made.uncovered
    assert made.figures["compared_edges"] == made.figures["model_edges"]
    assert (made.figures["stutters"] > 0) is fine


def test_two_runs_have_the_same_states(jvm):
    one, _ = compared(jvm, BINDING, "two_adders")
    two, _ = compared(jvm, BINDING, "two_adders")
    assert (one.shared, one.after, one.standing) == (two.shared, two.after, two.standing)


@pytest.mark.parametrize("name", ["unowned", "null-first", "cancel-without-monitor"])
def test_a_changed_class_is_rejected_and_the_released_one_is_not(jvm, name):
    scenario = BINDING.changes[name].scenarios[0]
    _, made = compared(jvm, BINDING, scenario, change=name)
    assert made.difference is not None
    assert compared(jvm, BINDING, scenario)[1].difference is None


def test_a_change_that_fits_no_class_is_refused(jvm):
    with pytest.raises(ToolError, match="the change fits no class"):
        jvm.load(BINDING, "no-such-change")


def test_a_label_at_another_instruction_is_a_difference(jvm):
    labels = dict(BINDING.labels)
    labels["A4"], labels["A5"] = labels["A5"], labels["A4"]
    _, made = compared(jvm, replace(BINDING, labels=labels), "two_adders")
    assert made.difference is not None and made.difference.kind == "label"


def test_a_lock_without_a_label_that_would_wait_is_reported(jvm):
    labels = {name: sites for name, sites in BINDING.labels.items() if name != "C1"}
    _, made = compared(jvm, replace(BINDING, labels=labels), "cancel_cancel")
    assert made.difference is not None


def test_a_class_that_no_jar_has_is_refused(jvm):
    with pytest.raises(ToolError, match="no jar has the class"):
        jvm.load(replace(BINDING, classes=(*BINDING.classes, "org/nowhere/Absent")))


def test_a_replay_shows_frames_with_their_values(jvm):
    compared(jvm, BINDING, "two_adders")
    states = jvm.replay([0])["states"]
    assert len(states) == 2
    frames = states[1]["threads"][0]["frames"]
    assert frames[-1]["site"] == "TimerTaskList.add:MONITORENTER#0"
    assert "TimerTaskEntry e1" in frames[-1]["values"]


def test_a_schedule_that_cannot_be_followed_is_reported(jvm):
    compared(jvm, BINDING, "cancel_cancel")
    assert "cannot take step 2" in jvm.replay([0, 1])["fault"]


def test_the_source_of_a_harness_that_does_not_compile_is_named(jvm, tmp_path):
    shutil.copytree(ROOT / "jvm", tmp_path / "jvm")
    source = tmp_path / "jvm" / "timer_task_list" / "TimerTaskListHarness.java"
    source.write_text(source.read_text() + "}", encoding="utf-8")
    binding = declaration.find(tmp_path)["timer_task_list"]
    with pytest.raises(Exception, match="does not compile"):
        prepare(tmp_path, tmp_path / "build", binding, RELEASE, fetch=False)


def test_a_call_that_blocks_and_is_not_hooked_ends_the_process_with_its_stack(tmp_path):
    shutil.copytree(ROOT / "jvm", tmp_path / "jvm")
    source = tmp_path / "jvm" / "list" / "ListHarness.java"
    sound = source.read_text(encoding="utf-8")
    planted = sound.replace(
        "public final Object perform(String[] operation) {",
        "public final Object perform(String[] operation) {\n"
        "        try { new java.util.concurrent.CountDownLatch(1).await(); }\n"
        "        catch (InterruptedException never) { return null; }",
    )
    source.write_text(planted, encoding="utf-8")
    binding = declaration.find(tmp_path)["timer_task_list"]
    try:
        setup = prepare(tmp_path, tmp_path / "build", binding, RELEASE, fetch=True)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    with Jvm(setup, heap_mb=200, stuck_seconds=2) as process:
        process.load(binding)
        process.begin(binding, MECHANISM.scenarios["two_adders"])
        with pytest.raises(ToolError, match=r"is stuck at explore(.|\n)*CountDownLatch\.await"):
            process.explore(1_000, 60)


def test_the_row_of_a_change_that_nothing_rejects_is_not_in_order(jvm, output, monkeypatch):
    change = declaration.Change("get-and-decrement", "", ("two_adders",))
    weak = replace(BINDING, changes={"get-and-decrement": replace(change, scenarios=("idle",))})
    program = {**MECHANISM.scenarios["two_adders"], "threads": {"a": [["cancel", "t1"]]}}
    mechanism = replace(MECHANISM, scenarios={**MECHANISM.scenarios, "idle": program})
    monkeypatch.setattr(tasks, "find", lambda root: {"timer_task_list": weak})
    names = [f"get-and-decrement@{RELEASE}"]
    (row,) = layer.check(Context(mechanism, output), names).rows
    assert (row.verdict, row.ok) == (Verdict.EXHAUSTIVE, False)
    assert "idle accepts the change" in row.why


# -- the table of sites, which needs no JVM


class Classes:
    """Stands for a JVM: each load compares one instruction more."""

    def __init__(self):
        self.loads = 0

    def load(self, binding, change):
        self.loads += 1
        return {"compared": self.loads, "statics": [f"Field{self.loads}"]}

    def sites(self):
        return {"sites": [("TimerTaskList.add(I)V#0", "READ", 1, "", 1)], "opaque": []}


def test_the_row_of_the_table_is_about_the_classes_that_were_loaded_first(tmp_path):
    known, report = tasks.tasks(MECHANISM), layer.Report()
    checks = layer._Checks(Context(MECHANISM, tmp_path), Classes(), report)
    (name,) = (
        name for name, task in known.items() if task.kind == "sites" and "@" + RELEASE in name
    )
    checks.carry_out(known[name])
    checks.loaded = "a change"
    checks.carry_out(known[name])
    assert checks.jvm.loads == 2
    for row in report.rows:
        assert row.figures["instructions"] == 1 and row.verdict == Verdict.VIOLATED
        assert "Field1 is static and can change" in row.why and "Field2" not in row.why


@pytest.mark.parametrize(
    "name", ["TimerTask", *(name.replace("/", ".") for name in BINDING.classes)]
)
def test_a_class_that_is_compared_is_not_opaque(name, tmp_path):
    known = tasks.tasks(MECHANISM)
    (task,) = (each for each in known.values() if each.kind == "sites" and RELEASE in each.name)
    for opaque, refused in ((task.binding.opaque, False), ({name: "planted"}, True)):
        report = layer.Report()
        binding = replace(task.binding, opaque=opaque)
        checks = layer._Checks(Context(MECHANISM, tmp_path), Classes(), report)
        checks.carry_out(replace(task, binding=binding))
        (row,) = report.rows
        fault = f"{name} is declared opaque, and is one of the classes that are compared"
        assert (fault in row.why) is refused


HITS = {site: 1 for sites in BINDING.labels.values() for site in sites} | {
    site: 1 for sites in BINDING.fine.values() for site in sites
}
ACCESSES = [site for site in HITS if not site.startswith("harness:")]


def faults(hits=HITS, accesses=ACCESSES, newest=True, **changes):
    binding = replace(BINDING, **({"unlabelled": {}} | changes))
    return table_faults(binding, MECHANISM, accesses, hits, newest)


def test_a_fitting_table_has_no_fault():
    reasons = dict.fromkeys((site for sites in BINDING.fine.values() for site in sites), "why")
    assert faults(unlabelled=reasons) == []


def test_a_label_without_a_site_is_a_fault():
    labels = {name: sites for name, sites in BINDING.labels.items() if name != "U3"}
    assert "the label U3 has no site" in faults(labels=labels)


def test_a_site_that_the_classes_lack_is_a_fault():
    labels = {**BINDING.labels, "U3": ("TimerTaskList.remove:GETFIELD list#9",)}
    assert "there is no site TimerTaskList.remove:GETFIELD list#9" in faults(labels=labels)


def test_a_site_that_no_scenario_runs_is_a_fault():
    (site,) = BINDING.labels["U3"]
    assert faults(hits={**HITS, site: 0}) == [f"no scenario runs {site}"]


def test_an_access_without_label_and_reason_is_a_fault():
    more = [*ACCESSES, "TimerTask.late:GETFIELD x#0"]
    assert "TimerTask.late:GETFIELD x#0 has no label and no reason" in faults(accesses=more)


def test_a_reason_for_what_is_not_there_is_a_fault():
    reasons = dict.fromkeys((site for sites in BINDING.fine.values() for site in sites), "why")
    gone = reasons | {"TimerTask.gone:*": "why"}
    assert faults(unlabelled=gone) == ["there is no site TimerTask.gone:*"]
    assert faults(unlabelled=gone, newest=False) == [], "an older release may lack the method"


def test_an_older_release_needs_a_site_for_each_label_too():
    labels = {**BINDING.labels, "U3": ("TimerTaskList.remove:GETFIELD list#9",)}
    wanted = "there is no site TimerTaskList.remove:GETFIELD list#9"
    assert wanted in faults(labels=labels, newest=False)
    more = [*ACCESSES, "TimerTask.late:GETFIELD x#0"]
    wanted = "TimerTask.late:GETFIELD x#0 has no label and no reason"
    assert wanted in faults(accesses=more, newest=False)


def test_a_pattern_of_unused_labels_that_fits_none_is_a_fault():
    assert faults(unused={"Q*": "why"}) == ["no label of timer_task_list is Q*"]


def test_an_unknown_label_is_a_fault():
    labels = {**BINDING.labels, "Z9": BINDING.labels["U3"]}
    assert "Z9 is no label of timer_task_list" in faults(labels=labels)


# -- which checks there are


def test_the_fast_profile_has_every_change_and_the_table():
    fast = {task.kind for group in tasks.groups(MECHANISM, "fast") for task in group}
    assert fast == {"scenario", "sites", "races", "change"}


def test_nightly_has_every_scenario():
    names = {task.name for group in tasks.groups(MECHANISM, "nightly") for task in group}
    assert {f"{name}@{RELEASE}" for name in MECHANISM.scenarios} <= names


def test_other_releases_have_the_scenarios_of_the_fast_profile():
    other = next(each for each in BINDING.releases[1:] if each not in BINDING.same)
    kinds = tasks.tasks(MECHANISM, other).values()
    assert {task.subject for task in kinds if task.kind == "scenario"} == set(BINDING.fast)
    assert {task.profile for task in kinds} == {"nightly"}
    assert "fine" not in {task.kind for task in kinds}


def test_the_table_of_each_release_is_judged_by_its_fast_scenarios_and_those_it_rejects():
    for mechanism in mechanisms().values():
        for profile in ("fast", "nightly"):
            for group in tasks.groups(mechanism, profile):
                for task in group:
                    if task.kind == "sites":
                        kinds = ("scenario", "composed")
                        beside = {other.subject for other in group if other.kind in kinds}
                        assert set(task.binding.fast) <= beside, task.name
                        rejected = {other.subject for other in group if other.kind == "rejected"}
                        assert rejected == set(task.binding.rejects), task.name


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"fast": ("no_such",)}, "no scenario is named no_such"),
        ({"rejects": {"two_adders": "why"}}, "two checks are named two_adders@"),
        ({"changes": {"two_adders": BINDING.changes["unowned"]}}, "two checks are named"),
    ],
)
def test_a_binding_whose_checks_cannot_be_distinguished_is_refused(monkeypatch, changed, message):
    wrong = replace(BINDING, **changed)
    monkeypatch.setattr(tasks, "find", lambda root: {"timer_task_list": wrong})
    with pytest.raises(UsageError, match=message):
        tasks.tasks(MECHANISM, RELEASE)


def test_a_change_whose_decision_shows_in_none_of_its_scenarios_is_refused(monkeypatch):
    lacking = {name: change for name, change in BINDING.changes.items() if change.without}
    assert len(lacking) > 2
    tasks.tasks(MECHANISM, RELEASE)
    for name, change in lacking.items():
        shown_in = {m.scenario for m in MECHANISM.mutants.values() if m.decision == change.without}
        elsewhere = next(iter(set(MECHANISM.scenarios) - shown_in))
        changes = BINDING.changes | {name: replace(change, scenarios=(elsewhere,))}
        wrong = {"timer_task_list": replace(BINDING, changes=changes)}
        monkeypatch.setattr(tasks, "find", lambda root, wrong=wrong: wrong)
        with pytest.raises(UsageError, match=f"no scenario of changes.{name} a property breaks"):
            tasks.tasks(MECHANISM, RELEASE)


def test_a_profile_that_there_is_not_is_refused(tmp_path):
    text = BINDING.file.read_text(encoding="utf-8")
    text = text.replace("releases =", 'profile = "x"\nreleases =')
    (tmp_path / "wrong.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="profile is 'x'; it must be one of fast, nightly"):
        declaration.read(tmp_path / "wrong.toml")


def test_a_nightly_change_is_not_in_the_fast_profile(monkeypatch):
    late = replace(BINDING.changes["unowned"], profile="nightly")
    weak = replace(BINDING, changes={**BINDING.changes, "unowned": late})
    monkeypatch.setattr(tasks, "find", lambda root: {"timer_task_list": weak})
    found = tasks.tasks(MECHANISM, RELEASE)
    assert found[f"unowned@{RELEASE}"].profile == "nightly"
    assert found[f"links-anyway@{RELEASE}"].profile == "fast"


def test_the_table_has_the_first_release_of_each_binding():
    found = tasks.select([MECHANISM], set(), "", False, every=True, first=True)
    mine = [each for each in declaration.find(ROOT).values() if each.mechanism == MECHANISM.name]
    assert {name.rpartition("@")[2] for _, name in found} == {each.releases[0] for each in mine}
    assert len(found) == len(mine) * len(MECHANISM.scenarios)


def test_a_change_is_followed_to_a_property_that_a_run_breaks():
    wheel, change = mechanisms()["timing_wheel"], TIMING_WHEEL.changes["due-late"]
    first = wheel.mutants["M17_late"]
    assert wheel.properties[first.property].kind == "liveness"
    assert tasks.broken_without(wheel, change) == "NotCurrentSlot"
    assert tasks.broken_without(replace(wheel, mutants={"M17_late": first}), change) is None


def test_two_bindings_of_one_release_have_rows_of_their_own():
    wheel = mechanisms()["overflow_wheel"]
    names = {name for name in tasks.tasks(wheel, RELEASE) if name.startswith(("sites", "races"))}
    bindings = ("overflow_wheel", "overflow_wheel_list")
    assert names == {f"{kind} {of}@{RELEASE}" for kind in ("sites", "races") for of in bindings}


def test_all_checks_of_a_nightly_binding_are_nightly(monkeypatch):
    late = replace(BINDING, profile="nightly")
    monkeypatch.setattr(tasks, "find", lambda root: {"timer_task_list": late})
    assert {task.profile for task in tasks.tasks(MECHANISM, RELEASE).values()} == {"nightly"}


def test_a_subject_without_classes_has_nothing_to_run():
    with pytest.raises(NothingChecked, match="No compiled classes"):
        tasks.select([replace(MECHANISM, root=Path("/nonexistent"))], set(), "", False)


def test_a_check_is_chosen_by_its_name_or_by_what_it_is_about():
    def names(*words, fine=False):
        found = tasks.select([MECHANISM], set(words), RELEASE, fine)
        return [name for _, name in found]

    assert names("two_adders") == names(f"two_adders@{RELEASE}") == [f"two_adders@{RELEASE}"]
    assert names("unowned") == [f"unowned@{RELEASE}"]
    assert names("two_adders", fine=True) == [f"two_adders@{RELEASE} fine"]
    with pytest.raises(UsageError, match="No such check"):
        names("no_such")


# -- replays


def test_a_counterexample_is_replayed_on_the_changed_classes(jvm, output, monkeypatch, capsys):
    monkeypatch.chdir(output)
    (row,) = layer.check(Context(MECHANISM, output), [f"links-anyway@{RELEASE}"]).rows
    assert row.ok and row.trace
    assert replay.run(output / row.trace, "impl", root=ROOT) == replay.REPRODUCED
    assert "the classes leave the model: b is at A4, in the model at A10" in capsys.readouterr().out


def test_a_counterexample_that_the_classes_do_not_follow_is_refused(jvm, output, monkeypatch):
    monkeypatch.chdir(output)
    (row,) = layer.check(Context(MECHANISM, output), [f"links-anyway@{RELEASE}"]).rows
    sound = replace(document.read(output / row.trace), name=f"two_adders@{RELEASE}")
    sound.write(output / "sound.json")
    with pytest.raises(replay.NotReproduced, match="do not leave the model"):
        replay.run(output / "sound.json", "impl", root=ROOT)
