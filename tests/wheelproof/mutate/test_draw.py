"""The plan of checks, the draw of changes, and the controls in every file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.found import mechanisms
from tests.nights import by_night
from wheelproof import project
from wheelproof.errors import UsageError
from wheelproof.mutate import declared as declarations
from wheelproof.mutate import draw, pluscal_changes, python_changes
from wheelproof.mutate import plan as planning
from wheelproof.mutate.draw import Options
from wheelproof.mutate.run import Mutation

ROOT = Path(__file__).parents[3]


def test_the_draw_depends_on_the_seed_alone(copy):
    def keys(seed: int) -> list[str]:
        options = Options(("one_shot",), ("impl", "spec"), 5, seed, copy, copy / "build")
        return [
            change.key
            for each in draw.draw(options, copy, planning.Plan(copy, project.find(copy)))
            for change in each.sample
        ]

    assert keys(1) == keys(1) != keys(2)


def test_a_total_is_shared_among_the_groups_by_their_size(copy):
    plan = planning.Plan(copy, project.find(copy))
    options = Options((), ("impl", "spec"), 5, 1, copy, copy / "build", total=12)
    drawn = draw.draw(options, copy, plan)
    for artefact in options.artefacts:
        assert sum(len(each.sample) for each in drawn if each.group.artefact == artefact) == 12
    assert draw.shares(10, [1, 100, 300]) == [1, 3, 6] and draw.shares(500, [1, 100, 300]) == [
        1,
        100,
        300,
    ]
    assert draw.shares(3, [5, 5, 5]) == [1, 1, 1]
    with pytest.raises(UsageError, match="fewer than the 3 groups"):
        draw.shares(2, [5, 5, 5])


def test_a_run_that_is_cut_short_has_judged_a_like_part_of_each_group(copy, runs):
    options = Options((), ("impl", "spec"), 5, 1, copy, runs, total=9)
    mutation = Mutation(options, lambda text: None)
    order = [
        id(each)
        for each, change in mutation.ordered()
        if not change.operator.startswith("control.")
    ]
    half = order[: len(order) // 2]
    assert all(abs(half.count(id(each)) - len(each.sample) / 2) <= 1 for each in mutation.drawn)


@pytest.mark.parametrize("folder", ["impl", "model", "harness", by_night("proofs")])
def test_the_controls_of_every_file_of_a_folder_can_be_planted(folder):
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        fault, harmless = python_changes.plant(text, file.name, folder)
        assert python_changes.parses(harmless) and (
            fault is None or python_changes.parses(fault)
        ), file


def test_the_controls_of_every_specification_can_be_planted():
    for item in mechanisms().values():
        assert all(
            pluscal_changes.plant(item.spec.read_text(encoding="utf-8"), f"spec/{item.spec.name}")
        )


def test_unit_tests_that_load_all_theories_check_each_file_of_proofs(copy):
    """They name no module: the page's table alone misses a control taken out of a theorem."""
    (copy / "proofs").mkdir(exist_ok=True)
    (copy / "proofs/sums.py").write_text("", encoding="utf-8")
    folder = copy / "tests/proofs"
    folder.mkdir(parents=True)
    for name, text in {
        "page": "declared = prove.declared(ROOT)\n",
        "other": "",
        "named": "from proofs import sums\n",
    }.items():
        (folder / f"test_{name}.py").write_text(text, encoding="utf-8")
    plan = planning.Plan(copy, project.find(copy))
    assert [check.title for check in plan.checks("proofs", "proofs/sums.py")] == [
        "tests/proofs/test_named.py",
        "tests/proofs/test_page.py",
        "tests/proofs/test_named.py, by night",
    ]


OTHERS = ("model", "spec", "harness", "proofs", "traces", "jvm", "wheelproof")


@pytest.mark.parametrize("folder", ["impl", *map(by_night, OTHERS[:-1]), OTHERS[-1]])
def test_every_change_that_is_declared_equivalent_is_among_the_changes(folder):
    """A declaration of a text that was edited since would be a finding of the night alone."""
    declared = declarations.read(ROOT)
    assert {each.file.partition("/")[0] for each in declared.values()} <= {"impl", *OTHERS}
    files = {each.file for each in declared.values() if each.file.startswith(f"{folder}/")}
    make = draw.makers(folder).changes
    changes = [
        change
        for file in sorted(files)
        for change in make((ROOT / file).read_text(encoding="utf-8"), file, folder)
    ]
    assert declarations.stale(declared, changes, files) == []
    for file in files:
        others = [change for change in changes if change.file != file]
        assert {each.file for each in declarations.stale(declared, others, files)} == {file}
