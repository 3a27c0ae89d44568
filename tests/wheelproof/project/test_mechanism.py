"""Reading a project's TOML: faults are rejected with the file, the field and the remedy."""

import pytest

from wheelproof.errors import NothingChecked, UsageError
from wheelproof.project import find, name_of, read


def test_a_mechanism_has_one_name_on_every_artefact(small):
    mechanism = find(small.root)["timer_task_list"]
    assert mechanism.spec == small.spec and mechanism.root == small.root
    assert mechanism.model("two_adders").threads == ("a", "b")
    assert name_of("TimerTaskList") == "timer_task_list" and name_of("D1Fix") == "d1_fix"


@pytest.mark.parametrize(
    "old, new, message",
    [
        ('module = "TimerTaskList"', 'module = "Other"', "as the file is named"),
        ("[configs.two_adders]", "[configs.two_adders]\nexpects = 1", "unknown field expects"),
        ("[properties.invariant]", "[propertes.invariant]", "Did you mean [properties]?"),
        (
            "[configs.two_adders]",
            "[x]\n[configs.two_adders]",
            "[x]: there is no table of this name",
        ),
        (
            'Ring = { field = "ring", as',
            'Ring = { field = "ring", also = 1, as',
            'needs field = "..." and as = "set", "function" or "value", and no other field',
        ),
        ('module = "', 'tilte = "x"\nmodule = "', "[mechanism]: there is no field tilte"),
        (
            "[configs.two_adders]",
            "[configs.two_adders]\ndistinct = 411",
            "distinct is counted, not declared",
        ),
        (
            "[configs.two_adders]",
            '[safety]\nfast = ["two_adders"]\n[configs.two_adders]',
            "there is another config two_adders",
        ),
        (
            "[configs.two_adders]",
            '[safety]\nfast = ["none"]\n[configs.two_adders]',
            "[safety.fast]: there is no scenario none",
        ),
        (
            "[configs.two_adders]",
            '[safety]\nslow = ["two_adders"]\n[configs.two_adders]',
            "there is no profile slow",
        ),
        (
            "[configs.two_adders]",
            '[groups.ends]\nproperty = "Nothing"\n[groups.ends.fast]\ntwo_adders = "why"\n'
            "[configs.two_adders]",
            "[configs.ends_two_adders]: there is no property Nothing",
        ),
        (
            "[configs.two_adders]",
            '[configs.two_adders]\nscenario = "none"',
            "there is no scenario none",
        ),
        ("[configs.two_adders]", '[configs.two_adders]\nprofile = "slow"', "profile is 'slow'"),
        ("[configs.two_adders]", '[configs.two_adders]\nexpect = "violated"', "of no property"),
        (
            "[configs.two_adders]",
            '[configs.two_adders]\nproperty = "Misspelt"',
            "there is no property Misspelt",
        ),
        (
            "[configs.two_adders]",
            '[configs.two_adders]\nwithout = "Misspelt"',
            "there is no decision Misspelt",
        ),
        ("[configs.two_adders]", '[configs.two_adders]\nfair = ["z"]', "there is no thread z"),
        ("write = [", "wirte = [", "kind is 'wirte'"),
        ("[properties.invariant]", "[properties.invariable]", "kind is 'invariable'"),
        (
            "[properties.liveness]",
            '[properties.deadlock]\nGoesOn = "some thread moves"\n[properties.liveness]',
            "Call it NoDeadlock",
        ),
        (
            'Lists = { field = "lists", as = "set" }',
            'Lists = { field = "lists" }',
            "constants.Lists",
        ),
        (
            'threads = { a = "add l1 e1", b = "add l2 e1" }',
            "threads = {}",
            "there is no thread in it",
        ),
        (
            'threads = { a = "add l1 e1", b = "add l2 e1" }',
            'threads = { a = ["add"] }',
            "not a list of operations",
        ),
        ("[mechanism]", "[faults.odd]\n[mechanism]", "changes is not a list of pairs"),
        (
            "[mechanism]",
            '[faults.odd]\nchanges = [["old"]]\n[mechanism]',
            "changes is not a list of pairs",
        ),
        (
            "[mechanism]",
            '[faults.odd]\nchanges = [["old", "new"]]\nscenario = "none"\n'
            'module = "impl.runtime"\nproperty = "FinalState"\n[mechanism]',
            "there is no scenario none",
        ),
        (
            "[mechanism]",
            '[faults.M2]\nchanges = [["old", "new"]]\nscenario = "two_adders"\n'
            'module = "impl.runtime"\nproperty = "FinalState"\n[mechanism]',
            "a config or a mutant has this name",
        ),
        (
            "[mechanism]",
            '[faults.odd]\nwithout = "M2"\nchanges = [["old", "new"]]\n[mechanism]',
            "has changes, and a decision that is taken away",
        ),
        (
            "[mechanism]",
            '[faults.odd]\nwithout = "Misspelt"\n[mechanism]',
            "there is no decision Misspelt",
        ),
        (
            "[mechanism]",
            '[composed.odd]\nscenario = "two_adders"\nequivalent = "so it is"\n[mechanism]',
            "names no mutant",
        ),
        (
            "[mechanism]",
            '[mutants.M2]\nswitch = "EntryMonitor"\n[mechanism]',
            "decisions are no tables of this file",
        ),
        (
            "[mechanism]",
            '[switches]\nEntryMonitor = "held"\n[mechanism]',
            "decisions are no tables of this file",
        ),
        (
            "[mechanism]",
            '[composed.odd]\nscenario = "two_adders"\nmutant = "M99"\n[mechanism]',
            "there is no decision M99",
        ),
        ("[mechanism]", "[mechanism", "not valid TOML"),
        (
            "[configs.two_adders]",
            '[configs.two_adders]\nfails = ["NoDeadlock"]',
            "there is no invariant NoDeadlock",
        ),
        (
            "[configs.two_adders]",
            '[configs.two_adders]\nfails = ["TypeOK"]\nproperty = "CounterExact"',
            "is not about all invariants",
        ),
        (
            "[configs.two_adders]",
            '[scenarios.again]\nlike = "none"\n\n[configs.two_adders]',
            "there is no scenario 'none' with fields of its own",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(small, old, new, message):
    small.change(small.toml, old, new)
    with pytest.raises(UsageError) as caught:
        read(small.toml)
    assert message in str(caught.value) and str(small.toml) in str(caught.value)


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("[M2]", "[M2]\nswitch = 1", "unknown field switch"),
        ("[M2]", '[labels.X1]\nkind = "wirte"\n[M2]', "[labels.X1]: kind is 'wirte'"),
        (
            "[M2]",
            '[labels.X1]\nkind = "write"\nonly = "M2"\n[M2]',
            "[labels.X1]: unknown field only",
        ),
        (
            "[M2]",
            '[labels.U7]\nkind = "write"\n[M2]',
            "[labels.U7]: TimerTaskList.toml has this label already",
        ),
        ('scenario = "two_adders"', 'scenario = "none"', "[M2]: there is no scenario none"),
        (
            "data_race = true",
            'data_race = true\nequivalent = "so it is"',
            "either the property that breaks or the reason",
        ),
    ],
)
def test_a_mutant_that_does_not_fit_is_refused_with_its_decision(small, old, new, message):
    small.change(small.decision, old, new)
    with pytest.raises(UsageError) as caught:
        read(small.toml)
    assert message in str(caught.value) and str(small.decision) in str(caught.value)


def test_a_mutant_has_one_decision(small):
    other = small.decision.with_name("M3.md")
    other.write_text(small.decision.read_text().replace("# M2", "# M3"))
    with pytest.raises(UsageError, match="M3.md: .M2.: another mutant has this name"):
        read(small.toml)


def test_a_folder_without_a_mechanism_has_nothing_to_check(tmp_path):
    with pytest.raises(NothingChecked, match="nothing to check"):
        find(tmp_path)


def test_a_toml_without_configs_has_nothing_to_check(small):
    text = small.toml.read_text()
    small.toml.write_text(text[: text.index("[configs.")])
    small.counts.unlink()
    with pytest.raises(NothingChecked, match="nothing to check"):
        read(small.toml)


def test_what_the_tool_itself_checks_needs_no_declaration(small):
    assert "NoDeadlock" not in small.toml.read_text() and "race" not in small.toml.read_text()
    found = read(small.toml).properties
    assert (found["NoDeadlock"].kind, found["NoDataRace"].kind) == ("deadlock", "race")


def test_a_scenario_takes_the_fields_of_another_one_that_it_does_not_have(small):
    small.change(
        small.toml,
        "[configs.two_adders]",
        '[scenarios.again]\nlike = "two_adders"\nabout = "again"\n\n[configs.two_adders]',
    )
    scenarios = read(small.toml).scenarios
    assert scenarios["again"] == scenarios["two_adders"] | {"about": "again"}


def test_a_config_keeps_the_invariants_that_it_does_not_declare_to_fail(small):
    small.change(
        small.toml,
        "[configs.two_adders]",
        '[configs.two_adders]\nfails = ["CounterExact", "TypeOK"]',
    )
    mechanism = read(small.toml)
    assert set(mechanism.invariants_of(mechanism.configs["two_adders"])) == set(
        mechanism.invariants
    ) - {
        "CounterExact",
        "TypeOK",
    }
