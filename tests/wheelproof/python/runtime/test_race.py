"""The race detector: silent on ordered code; elsewhere it reports two lines and two labels."""

import pytest

from wheelproof.python import (
    RaceDetector,
    bisimulate,
    random_schedules,
    replay,
)


def races(implementation, scenario, coarse=False, schedules=60):
    return random_schedules(
        implementation, scenario, schedules=schedules, race=RaceDetector(), coarse=coarse
    ).races


@pytest.mark.parametrize("coarse", [False, True])
def test_the_implementation_has_none(cell, coarse):
    for scenario in cell.scenarios.values():
        assert races(cell.load(), scenario, coarse) == ()


@pytest.mark.parametrize("coarse", [False, True])
def test_without_the_monitor_there_is_one_with_both_lines_and_labels(cell, coarse):
    found = races(cell.load(without="Unlocked"), cell.scenarios["two_puts"], coarse)
    assert found
    race = found[0]
    assert race.field == "Cell.item" and {race.first.label, race.second.label} == {"P3"}
    assert race.first.thread != race.second.thread and race.first.source == race.second.source
    assert race.first.source.startswith(
        "impl/cell.py:"
    ) and "race on Cell.item: write at impl/cell.py:" in str(race)


def test_both_atomicities_report_the_same_lines(cell):
    fine, coarse = (
        {
            race.lines
            for race in races(
                cell.load(without="Unlocked"), cell.scenarios["put_and_take"], grain, 300
            )
        }
        for grain in (False, True)
    )
    assert fine == coarse and len(fine) >= 2


def test_a_read_races_too_and_needs_no_label(cell):
    implementation = cell.planted(
        ("        return self.claimed", "        self.item is None\n        return self.claimed")
    )
    found = races(implementation, {"threads": {"a": [["put", "x"]], "b": [["claim"]]}})
    assert {(race.first.kind, race.second.kind) for race in found} <= {
        ("read", "write"),
        ("write", "read"),
    } and found
    assert {access.label for race in found for access in (race.first, race.second)} == {"P3", None}


@pytest.mark.parametrize(
    ("before", "after", "ordered"),
    [
        (
            "while not self.full:  # read C7\n            pass",
            "",
            True,
        ),  # a volatile write before a read of it
        (
            "while not self.claimed.get():  # read C7\n            pass",
            "self.claimed.set(True)  # write P7",
            True,
        ),  # an atomic
        ("while not self.claimed.get():  # read C7\n            pass", "", None),
        ("", "", False),
    ],
)
def test_volatile_fields_and_atomics_order(cell, before, after, ordered):
    # One thread writes the item and signals; the other waits for the signal and reads the item.
    text = cell.edited(
        (
            "        with self.monitor:  # lock P1, unlock P5\n"
            "            if not self.full:  # read P2\n"
            "                self.item = item  # write P3\n"
            "                self.full = True  # write P4\n",
            "        self.item = item  # write P3\n"
            "        self.full = True  # write P4\n"
            f"        {after or 'pass'}\n",
        ),
        (
            "        return self.claimed.compare_and_set(False, True)  # cas C1",
            f"        {before or 'pass'}\n        return self.item  # read C8",
        ),
    )
    implementation = cell.load(texts={"impl.cell": text})
    scenario = {"threads": {"a": [["put", "x"]], "b": [["claim"]]}}
    if ordered is None:
        assert (
            random_schedules(
                implementation, scenario, schedules=3, max_steps=200, race=RaceDetector()
            ).outcome
            == "inconclusive"
        )
    else:
        assert (races(implementation, scenario) == ()) == ordered


def test_a_failed_try_and_a_read_order_nothing(cell):
    text = cell.edited(
        (
            "        if self.gate.acquire(blocking=False):  # try G1\n"
            "            try:\n"
            "                self.take()\n"
            "            finally:\n"
            "                self.gate.release()  # unlock G2\n",
            "        if self.gate.acquire(blocking=False):  # try G1\n"
            "            self.item = None  # write G7\n"
            "        else:\n"
            "            self.item = 'x'  # write G8\n",
        )
    )
    found = races(
        cell.load(texts={"impl.cell": text}), {"threads": {"a": [["attempt"]], "b": [["attempt"]]}}
    )
    assert {frozenset({race.first.label, race.second.label}) for race in found} == {
        frozenset({"G7", "G8"})
    }


def test_the_detector_follows_a_bisimulation(cell):
    sound, broken = RaceDetector(), RaceDetector()
    graph = cell.graph("two_puts")
    bisimulate(cell.load(), cell.scenarios["two_puts"], graph.rows, graph.shared_of, race=sound)
    assert sound.runs > 0 and not sound.found
    mutated = cell.graph("two_puts", "Unlocked")
    bisimulate(
        cell.load(without="Unlocked"),
        cell.scenarios["two_puts"],
        mutated.rows,
        mutated.shared_of,
        race=broken,
    )
    assert {race.field for race in broken.found} == {"Cell.item"}


def test_the_race_that_is_named_is_the_one_that_its_schedule_shows(cell):
    """Several schedules have different races: the least of all is in another one than the first."""
    implementation, scenario = cell.load(without="Unlocked"), cell.scenarios["put_and_take"]
    others = 0
    for seed in (3, 4):
        found = random_schedules(
            implementation, scenario, schedules=40, seed=seed, race=RaceDetector()
        )
        racing = found.racing
        ran = replay(implementation, scenario, racing.schedule, race=RaceDetector())
        assert racing.race in ran.races
        for access, number in ((racing.race.first, racing.first), (racing.race.second, 0)):
            step = ran.steps[number - 1]
            assert access.thread == step.thread and access.label in (step.label, None)
        before = replay(implementation, scenario, racing.schedule[:-1], race=RaceDetector())
        assert before.races == (), "the schedule ends at its first race"
        others += min(found.races) not in ran.races
    assert others, "no drawn schedule tells the first race from the least one"


def test_a_deadlock_after_a_race_has_a_schedule_of_its_own(cell):
    text = cell.edited(
        (
            "    def claim(self) -> bool:\n",
            "    def claim(self) -> bool:\n"
            "        self.item = 'x'  # write X0\n"
            "        with self.gate:  # lock X1, unlock X4\n"
            "            with self.monitor:  # lock X2, unlock X3\n"
            "                pass\n",
        ),
        (
            "        if self.gate.acquire(blocking=False):  # try G1\n",
            "        self.item = 'y'  # write Y0\n"
            "        with self.monitor:  # lock Y1, unlock Y4\n"
            "            with self.gate:  # lock Y2, unlock Y3\n"
            "                pass\n"
            "        if self.gate.acquire(blocking=False):  # try G1\n",
        ),
    )
    implementation = cell.load(texts={"impl.cell": text})
    scenario = {"threads": {"a": [["claim"]], "b": [["attempt"]]}}
    found = random_schedules(implementation, scenario, schedules=100, race=RaceDetector())
    assert replay(implementation, scenario, found.deadlock).end == "deadlock"
    assert replay(implementation, scenario, found.racing.schedule).end == "running"
