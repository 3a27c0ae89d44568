"""A graph that mutants share, and changed classes that are tried on a few states first."""

from types import SimpleNamespace

import pytest

from tests.found import mechanisms
from wheelproof.checks import comparisons, jvm
from wheelproof.graph import reduced
from wheelproof.verdict import Verdict

MECHANISM = mechanisms()["atomic"]


@pytest.fixture
def made(monkeypatch):
    """The models that are reduced from now on."""
    found = []

    def noted(model, silent, **options):
        found.append(model)
        return reduced_by(model, silent, **options)

    reduced_by = reduced.reduce
    monkeypatch.setattr(reduced, "reduce", noted)
    monkeypatch.setattr(comparisons, "_GRAPHS", {})
    return found


def test_mutants_of_one_scenario_share_the_graph_of_the_model(made):
    first = comparisons.reduced_graph(MECHANISM, "numbers")
    assert comparisons.reduced_graph(MECHANISM, "numbers") is first and len(made) == 1
    assert comparisons.reduced_graph(MECHANISM, "objects") is not first and len(made) == 2


def test_a_changed_mechanism_has_a_graph_of_its_own(made):
    first = comparisons.reduced_graph(MECHANISM, "numbers")
    changed = comparisons.reduced_graph(MECHANISM.without("AddsUnlocked"), "numbers")
    assert len(made) == 2 and changed.digest() != first.digest()


def test_few_graphs_and_small_ones_are_kept(made, monkeypatch):
    comparisons.reduced_graph(MECHANISM, "numbers")
    monkeypatch.setattr(comparisons, "KEPT", 1)
    comparisons.reduced_graph(MECHANISM, "objects")
    comparisons.reduced_graph(MECHANISM, "numbers")
    assert len(made) == 3
    monkeypatch.setattr(comparisons, "KEPT_STATES", 1)
    for _ in range(2):
        comparisons.reduced_graph(MECHANISM, "objects")
    assert len(made) == 5


def tried(monkeypatch, profile, differs_from, refused=True):
    """The bounds of a search that finds a difference in so many states, and the row's verdict."""
    bounds = []

    class Classes:
        def begin(self, *arguments):
            pass

        def explore(self, most, seconds):
            bounds.append(most)
            figures = {"runs": 1, "steps": 1}
            return SimpleNamespace(most=most, faults=[], complete=True, figures=figures)

    def compared(found, graph, rows, encoder):
        difference = "differs" if found.most >= differs_from else None
        return SimpleNamespace(figures={}, difference=difference, schedule=(), uncovered=[])

    context = SimpleNamespace(
        mechanism=MECHANISM,
        profile=profile,
        limits=SimpleNamespace(bisimulation_seconds=1),
        bound=lambda scenario: "",
    )
    checks = jvm._Checks(context, Classes(), None)
    binding = SimpleNamespace(joined={}, pairs=(), names={})
    binding.beside = lambda scenario: binding
    monkeypatch.setattr(jvm.product, "compare", compared)
    monkeypatch.setattr(jvm, "Encoder", lambda *arguments: None)
    monkeypatch.setattr(checks, "counterexample", lambda *arguments: None)
    task = SimpleNamespace(binding=binding, kind="change")
    return bounds, checks.scenario(task, "numbers", fine=False, must_differ=refused)["verdict"]


def test_by_day_a_change_is_tried_on_a_few_states_first(monkeypatch):
    bounds, verdict = tried(monkeypatch, "fast", differs_from=0)
    assert len(bounds) == 1 and verdict is Verdict.VIOLATED
    few, every = tried(monkeypatch, "fast", differs_from=bounds[0] + 1)[0]
    assert few == bounds[0] < every


def test_a_change_that_a_few_states_do_not_show_is_tried_on_all(monkeypatch):
    bounds, verdict = tried(monkeypatch, "fast", differs_from=10**9)
    assert len(bounds) == 2 and verdict is Verdict.EXHAUSTIVE


def test_by_night_and_where_no_difference_is_wanted_all_states_are_tried_at_once(monkeypatch):
    for profile, refused in (("nightly", True), ("fast", False)):
        bounds, verdict = tried(monkeypatch, profile, differs_from=0, refused=refused)
        assert len(bounds) == 1 and bounds[0] > jvm.MARGIN[1] and verdict is Verdict.VIOLATED
