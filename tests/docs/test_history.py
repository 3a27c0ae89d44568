"""The history of Kafka's bugs is what the declared checks show, and its traces are printed."""

import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from tests.docs.reading import ROOT
from tests.docs.test_quotes import printed, unlike
from tests.found import mechanisms
from tests.nights import by_night
from tools import history, other_races, pages
from tools.history import Bug, Cell, Era, Row

PAGE = (ROOT / "docs" / "history.md").read_text(encoding="utf-8")
SOURCE = (ROOT / "docs" / "history.toml").read_text(encoding="utf-8")
ERAS = (
    "0.8.2 and older",
    "0.9 - 0.11.0.1",
    "0.11.0.2 - 1.0",
    "1.1 - 2.6",
    "2.7 - 4.0",
    "4.1 on",
)
MODELLED = ("H1", "H1b", "H2", "H3", "H4", "H5", "H5'", "H6", "H7", "H8", "H9", "H10", "H11", "H12")
TABLED = ("H13", "H14", "H15", "H16", "H17", "H18")


@pytest.fixture(scope="module")
def found():
    return mechanisms()


@pytest.fixture(scope="module")
def source():
    return history.load(ROOT)


def test_the_source_names_checks_that_are_there(source, found):
    assert history.refusals(source, found) == []


def test_each_bug_is_there_and_each_era(source):
    assert tuple(era.name for era in source.eras) == ERAS
    assert {bug.id for bug in source.bugs} == {*MODELLED, *TABLED}


def test_each_interleaving_is_a_mutant(source, found):
    """H1 to H12: a decision that is taken away, whose page names the issue."""
    for bug in source.bugs:
        if bug.id in MODELLED:
            mutants = [check for check in bug.shown if "/" in check]
            assert mutants, bug.id
            for check in mutants:
                mechanism, _, name = check.partition("/")
                decision = found[mechanism].decisions[found[mechanism].mutants[name].decision]
                assert bug.issue in decision.title + decision.prose, (bug.id, check)
                assert re.search(r"\b(release|releases|\d\.\d)", decision.prose), check


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            '"timer_task_list/M1" = "RingWellFormed"',
            '"timer_task_list/M99" = "RingWellFormed"',
            "H1: timer_task_list/M99: timer_task_list has no mutant 'M99'",
        ),
        (
            '"timer_task_list/M1" = "RingWellFormed"',
            '"timer_task_list/M1" = "CancelWins"',
            "H1: the mutant timer_task_list/M1 breaks RingWellFormed, and not CancelWins",
        ),
        (
            '"timer_task_list/M1" = "RingWellFormed"',
            '"no_list/M1" = "RingWellFormed"',
            "H1: no_list/M1: there is no mechanism 'no_list'",
        ),
        (
            '"delayed_operation:pending_holder" = "NoLostCompletion"',
            '"delayed_operation:no_holder" = "NoLostCompletion"',
            "H7: delayed_operation:no_holder: delayed_operation has no config 'no_holder'",
        ),
        (
            '"delayed_operation:pending_holder" = "NoLostCompletion"',
            '"delayed_operation:two_completers" = "NoLostCompletion"',
            "H7: the config delayed_operation:two_completers breaks nothing, and not "
            "NoLostCompletion",
        ),
        (
            'eras = ["0.11.0.2 - 1.0"]',
            'eras = ["0.11.0.1 - 1.0"]',
            "H5: there is no era '0.11.0.1 - 1.0'",
        ),
        ('id = "H18"', 'id = "H17"', "H17 is there twice"),
        (
            '"delayed_operation:try_once_callers_lock"]',
            '"delayed_operation:blocking_callers_lock"]',
            "NoDeadlock: delayed_operation:blocking_callers_lock keeps it in no era",
        ),
        (
            'property = "OneTries"',
            'property = "OneTriesAtMost"',
            "OneTriesAtMost is no property of delayed_operation",
        ),
        (
            'delayed_operation = { protocol = ["TryPending"]',
            'delayed_operation = { protocol = ["TryPendingly"]',
            "1.1 - 2.6: no scenario of delayed_operation has protocol = 'TryPendingly'",
        ),
    ],
)
def test_what_is_not_declared_so_is_refused(found, old, new, says):
    assert SOURCE.count(old) == 1, old
    assert says in history.refusals(history.read(SOURCE.replace(old, new)), found)
    with pytest.raises(ValueError, match=re.escape(says)):
        pages.of_history(PAGE, history.read(SOURCE.replace(old, new)), found)


def test_a_bug_without_a_check_and_a_reason_is_refused(source, found):
    bug = Bug("H0", "KAFKA-0", 2000, "wrong", "fixed", "none")
    assert "H0 is neither shown nor is there a reason" in history.refusals(
        replace(source, bugs=(*source.bugs, bug)), found
    )


@pytest.mark.parametrize("text", ["[[era]]\ncode = {}", SOURCE.replace("\nwrong =", "\nrong =")])
def test_a_wrong_field_is_refused(text):
    with pytest.raises(ValueError, match=r"docs/history.toml has a table with a wrong field"):
        history.read(text)


def test_a_cell_follows_from_the_checks(source, found):
    """Without the holder of the lock every note is read: no check is red."""
    row, era = Row("NoLostCompletion", ("delayed_operation",)), source.eras[3]
    assert era.name == "1.1 - 2.6"
    made = history.cell(row, era, source, found)
    assert "delayed_operation:pending_holder" in made.red
    assert "delayed_operation:two_completers" in made.green
    mechanism = found["delayed_operation"]
    configs = {
        name: config for name, config in mechanism.configs.items() if name != "pending_holder"
    }
    without = {**found, "delayed_operation": replace(mechanism, configs=configs)}
    silent = replace(source, bugs=())
    assert history.cell(row, era, silent, without).red == ()


def test_an_era_without_code_has_no_verdict(source, found):
    row = Row("NoLostCompletion", ("delayed_operation",))
    assert history.cell(row, Era("none", {}), source, found) == Cell()


def test_a_config_of_another_protocol_is_not_the_eras(source, found):
    names = {config.name for config in history.of_era(source.eras[2], "delayed_operation", found)}
    assert "article_lost_completion" in names and "pending_holder" not in names


# -- the other races


def test_each_other_race_has_a_finder_or_a_reason(found):
    races = other_races.load(ROOT)
    assert other_races.refusals(races, other_races.Finders.load(ROOT, found)) == []
    issues = re.findall(
        r"KAFKA-\d+|pull request \d+|\b[0-9a-f]{10}\b", " ".join(race.issue for race in races)
    )
    assert len(issues) == len(set(issues)) == 84
    assert not set(issues) & {bug.issue for bug in history.read(SOURCE).bugs}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            'by = ["purgatory.WatchedExact"]',
            'by = ["purgatory.WatchedTwice"]',
            "KAFKA-664: WatchedTwice is no property of purgatory",
        ),
        (
            'by = ["rule: a late answer belongs to its request"]',
            'by = ["rule: an early answer"]',
            "KAFKA-2841: there is no rule: an early answer",
        ),
        ('by = ["purgatory.WatchedExact"]', "by = []", "KAFKA-664 has neither a finder nor"),
        (
            'shown = "purgatory/P3"',
            'shown = "purgatory/P4"',
            "KAFKA-1430: the mutant purgatory/P4 breaks none of purgatory.NoLostCompletion",
        ),
        (
            'shown = "purgatory/P3"',
            'shown = "purgatory/P99"',
            "KAFKA-1430: purgatory/P99: purgatory has no mutant 'P99'",
        ),
        (
            'explored = "RPCProducerIdManager, Kafka 4.3.1"',
            'explored = "RPCProducerIdManager, Kafka 4.4.0"',
            "KAFKA-20114: .* has no bug of that issue in RPCProducerIdManager, Kafka 4.4.0",
        ),
        (
            'explored = "RPCProducerIdManager, Kafka 4.3.1"',
            'explored = "SystemTimer, Kafka 4.3.1"',
            "KAFKA-20114: .* has no bug of that issue in SystemTimer",
        ),
    ],
)
def test_a_race_with_a_wrong_finder_or_none_is_refused(found, old, new, says):
    races = other_races.read(SOURCE.replace(old, new, 1))
    with pytest.raises(ValueError, match=says):
        pages.of_races(PAGE, races, other_races.Finders.load(ROOT, found))
    with pytest.raises(ValueError, match="has a race with a wrong field"):
        other_races.read(SOURCE.replace("\nrace =", "\nracing =", 1))


# -- the traces of the page


def shown() -> list[tuple[str, list[str]]]:
    return printed(PAGE)


def test_each_link_of_the_chain_has_a_trace():
    chain = ("KAFKA-3994", "KAFKA-5970", "KAFKA-6653", "KAFKA-6042", "KAFKA-8334", "KAFKA-9777")
    sections = re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]
    for issue in (*chain, "KAFKA-19312"):
        (section,) = [text for text in sections if text.startswith(issue)]
        assert len(printed(section)) == 1, issue


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [by_night(command) for command, _ in shown()],
)
def test_a_trace_is_what_its_command_prints(tmp_path, command):
    (parts,) = [[part for part in parts if part] for each, parts in shown() if each == command]
    words = command.split()
    assert words[:2] == ["wheelproof", "mutant"] and len(parts) > 1
    done = subprocess.run(
        [sys.executable, "-m", *words, "--output", str(tmp_path / "build")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", "PYTHONHASHSEED": "0"},
    )
    assert done.returncode == 0, done.stderr
    assert unlike(parts, done.stdout) == []
    stale = [*parts[:-1], parts[-1].replace(" is violated after step ", " holds after step ")]
    assert stale != parts and unlike(stale, done.stdout) == [stale[-1]]
