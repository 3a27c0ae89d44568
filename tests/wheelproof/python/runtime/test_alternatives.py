"""Steps that choose: each choice of the model is taken by the code, and the other way round."""

import random
from pathlib import Path

import pytest

from wheelproof import choices
from wheelproof.choices import choice_of, of_word
from wheelproof.errors import UsageError
from wheelproof.graph import reduced
from wheelproof.jvm import product
from wheelproof.project import find
from wheelproof.python import (
    ControlledImplementation,
    ExploreError,
    RaceDetector,
    Rows,
    bisimulate,
    random_schedules,
    replay,
)
from wheelproof.python.search.composition import Inclusion

ROOT = Path(__file__).resolve().parents[4] / "examples" / "connection_pool"
MECHANISM = find(ROOT)["connection_pool"]
SCENARIO = {
    "connections": ["x", "y"],
    "threads": {"a": [["use"]], "k": [["close", "y"]]},
}
ALONE = {**SCENARIO, "threads": {"a": [["use"]]}}
POOLS = """

class Pools:
    __slots__ = ("pool",)

    def __init__(self, pool):
        self.pool = pool
"""
CHOOSES = "got = choose(known)  # choose B3"


def loaded(*change, harness=None):
    name = "impl.connection_pool"
    text = (ROOT / "impl" / "connection_pool.py").read_text(encoding="utf-8")
    if change:
        assert change[0] in text
        text = text.replace(*change)
    texts = {name: text} | ({"harness.connection_pool": harness} if harness else {})
    return ControlledImplementation.load(ROOT, "connection_pool", texts=texts)


def sides(scenario):
    graph = reduced.reduce(MECHANISM.model_of(scenario), MECHANISM.silent)
    return reduced.rows(graph), reduced.shared_of(graph)


def compared(scenario, *change, **options):
    return bisimulate(loaded(*change), scenario, *sides(scenario), **options)


def test_each_choice_of_the_model_is_taken_and_no_other():
    found = compared(SCENARIO, second_ways=10, fields=True)
    assert found.outcome == "equal", found.difference
    assert found.uncovered == ()
    assert found.figures["compared_edges"] == found.figures["model_edges"]
    chosen = [choices.texts(choices.moves_in(row, 0)) for row in sides(SCENARIO)[0]]
    assert ("x", "y") in chosen and () in chosen
    assert found.figures["second_ways_stepped"] > 0
    assert found.fields.unread == {}


@pytest.mark.parametrize(
    ("scenario", "new", "why"),
    [
        (
            ALONE,
            "known = sorted(known)[:1]\n                got = choose(known)  # choose B3",
            "a.B3 never chooses y in the implementation, as it can in the model "
            "(the model chooses among x, y)",
        ),
        (
            ALONE,
            "got = choose(known | {'z'})  # choose B3",
            "a.B3 can choose z in the implementation, and cannot in the model",
        ),
        (
            ALONE,
            "known = (*known, 1)\n                got = choose(known)  # choose B3",
            "a.B3 can choose 1 in the implementation",
        ),
        (
            {**ALONE, "connections": ["x"]},
            "got = choose(known | {'y'})  # choose B3",
            "a.B3 can choose x and y in the implementation, and cannot in the model "
            "(the model has no choice there)",
        ),
        (
            ALONE,
            "got = choose(known)  # choose B3\n"
            "                if got == 'y':\n                    got = choose(('x', 'y'))",
            "a.B3 can choose y, x and y, y in the implementation",
        ),
    ],
)
def test_a_choice_that_one_side_lacks_is_a_difference_by_its_name(scenario, new, why):
    found = compared(scenario, CHOOSES, new)
    assert found.outcome == "different" and found.difference.kind == "choice"
    assert why in found.difference.message, found.difference
    assert found.difference.source.startswith("impl/connection_pool.py:")


def test_a_choice_with_swapped_outcomes_is_a_difference_after_it():
    swap = CHOOSES + "\n                got = min(known - {got})"
    found = compared(ALONE, CHOOSES, swap)
    assert found.outcome == "different" and found.difference.kind == "shared"
    (choice,) = (choice_of(label) for _, label in found.difference.schedule if label == "B3")
    assert choice in (("x",), ("y",))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ("(self, 1)", "values without a name of their own: a Pool"),
        ("('pool', self)", "values without a name of their own: two are named pool"),
    ],
)
def test_a_choice_among_values_without_a_name_is_refused(values, why):
    named = (ROOT / "harness" / "connection_pool.py").read_text(encoding="utf-8")
    if "a Pool" in why:
        assert '{"pool": self.pool}' in named
        named = named.replace('{"pool": self.pool}', '{"pools": Pools(self.pool)}')
        named += POOLS
    new = f"known = {values}\n                got = choose(known)  # choose B3"
    found = bisimulate(loaded(CHOOSES, new, harness=named), ALONE, *sides(ALONE))
    assert found.outcome == "different" and why in found.difference.message, found.difference


def test_a_choice_on_the_line_of_a_lock_is_refused():
    found = compared(
        ALONE,
        "with self.lock:  # lock B1, unlock B5",
        "with choose((self.lock, self.lock)):  # lock B1, unlock B5",
    )
    assert found.outcome == "different"
    assert "a choice on the line of 'lock B1'" in found.difference.message


def test_a_choice_before_the_first_step_is_refused():
    found = compared(ALONE, "got = None\n", "got = choose((None, None))\n")
    assert found.outcome == "different"
    assert "a chooses before its first step" in found.difference.message


def test_a_choice_among_nothing_is_the_exception_of_production():
    found = compared(ALONE, CHOOSES, "got = choose(())  # choose B3")
    assert found.outcome == "different" and "IndexError" in found.difference.message


# -- single schedules


def test_random_schedules_draw_choices_and_make_them_again_from_the_seed():
    beside = dict(zip(("rows", "shared_of"), sides(SCENARIO), strict=True))
    found = random_schedules(loaded(), SCENARIO, schedules=20, seed=1, **beside)
    assert found.outcome == "passed" and found.figures["schedules"] == 20
    again = random_schedules(loaded(), SCENARIO, schedules=20, seed=1, **beside)
    assert again.figures["steps"] == found.figures["steps"]


def test_random_schedules_find_a_choice_that_the_model_lacks():
    beside = dict(zip(("rows", "shared_of"), sides(ALONE), strict=True))
    wrong = loaded(CHOOSES, "got = choose(known | {'z'})  # choose B3")
    found = random_schedules(wrong, ALONE, schedules=50, seed=1, **beside)
    assert found.outcome == "different" and found.difference.kind == "choice"
    assert "a.B3 chooses z in the implementation, and" in found.difference.message


def test_coarse_schedules_choose_too():
    wrong = loaded(CHOOSES, "got = choose(known)  # choose B3\n                assert got == 'x'")
    race = RaceDetector()
    found = random_schedules(wrong, ALONE, schedules=20, coarse=True, race=race)
    assert found.outcome == "different" and "AssertionError" in found.difference.message


@pytest.mark.parametrize("choice", ["x", "y"])
def test_a_replay_takes_the_choice_of_its_word(choice):
    schedule = ["a", "a", f"a={choice}", "a", "a", "a", "a", "a"]
    beside = dict(zip(("rows", "shared_of"), sides(ALONE), strict=True))
    found = replay(loaded(), ALONE, schedule, **beside)
    assert found.end == "done" and found.difference is None
    assert [choice_of(step.label) for step in found.steps].index((choice,)) == 2
    left = {"x", "y"} - {choice}
    assert found.steps[3].shared["free"] == (frozenset(left),)


def test_a_replay_without_the_choice_or_with_a_wrong_one_is_refused():
    with pytest.raises(ExploreError, match=r"a.B3 chooses x, the schedule has nothing"):
        replay(loaded(), ALONE, ["a", "a", "a"])
    found = replay(loaded(), ALONE, ["a", "a", "a=z"])
    assert found.end == "rule" and "z is none of x, y" in found.difference.message


# -- where choices are not followed


def test_composed_runs_and_compiled_classes_refuse_a_model_that_chooses():
    rows, shared_of = sides(ALONE)
    with pytest.raises(ExploreError, match="A step of the model chooses in a composed run"):
        Inclusion(None, rows, shared_of, None)
    with pytest.raises(UsageError, match="A step of the model chooses, and compiled classes"):
        product.compare(None, None, rows, None)
    plain = Rows([{0: ("A1", 1)}, {}])
    assert choices.only_threads(plain) == list(plain)


def test_words_are_read_back():
    for name, choice in (("a", ()), ("a", ("x", "(1, 2, )")), ("a=b", ()), ("a", ("=,", "'1'"))):
        word = choices.word(name, choices.labelled("B3", choice))
        assert of_word(word, ["a", "a=b"]) == (name, choice) and " " not in word


def test_texts_are_equal_for_equal_values_alone():
    texts = set(map(choices.text_of, (1, True, None, "1", "True", "None", "x", "x y")))
    texts |= set(map(choices.text_of, ((), ("x",), ("x", 1), (("x",), 1), frozenset({"x"}))))
    assert len(texts) == 13 and "x" in texts
    assert choices.text_of(frozenset({"y", "x"})) == "{x, y}"


def test_values_in_which_no_two_choices_differ_are_left_out():
    assert choices.distinguished([("x",)]) == [()]
    assert choices.distinguished([("x", 1), ("y", 1)]) == [("x",), ("y",)]
    assert choices.distinguished([("x", 1), ("x", 2), ("y", 3)]) == [("x", 1), ("x", 2), ("y",)]
    drawn = random.Random(3)
    for _ in range(50):
        some = {tuple(drawn.choices("ab", k=3)) for _ in range(4)}
        short = choices.distinguished(sorted(some))
        assert len(set(short)) == len(some)
