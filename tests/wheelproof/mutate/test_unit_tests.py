"""Which unit tests check a changed file."""

from pathlib import Path

import pytest

from wheelproof.mutate.change import TESTED
from wheelproof.mutate.plan import sources
from wheelproof.mutate.unit_tests import UnitTests

ROOT = Path(__file__).parents[3]


def written(root, files):
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return UnitTests(root)


CHAIN = {
    "impl/parts.py": "",
    "impl/desk.py": "from impl import parts\n",
    "impl/office.py": "from impl.desk import Desk\n",
    "tests/impl/test_life.py": "from impl.office import Office\n",
    "tests/impl/test_other.py": "from impl.other import Other\n",
}


def of(tests, file):
    return [(check.tests, check.stage) for check in tests.checks_of("impl", file)]


def test_a_file_that_no_test_names_has_the_tests_of_the_modules_that_import_it(tmp_path):
    tests = written(tmp_path, CHAIN)
    for file in ("impl/parts.py", "impl/desk.py", "impl/office.py"):
        assert of(tests, file) == [("tests/impl/test_life.py", 7)], file


def test_tests_that_name_a_file_are_enough(tmp_path):
    named = {"tests/impl/test_more.py": "import impl.desk\n"}
    tests = written(tmp_path, CHAIN | named)
    assert of(tests, "impl/desk.py") == [("tests/impl/test_more.py", 7)]
    alike = {"tests/impl/test_desk.py": "", "tests/impl/test_desk_again.py": ""}
    assert of(written(tmp_path, alike), "impl/desk.py") == [
        ("tests/impl/test_desk.py", 2),
        ("tests/impl/test_desk_again.py", 2),
        ("tests/impl/test_more.py", 7),
    ]


def test_a_file_is_named_among_several_on_lines_of_their_own(tmp_path):
    named = "from impl import (\n    alone,\n    desk,\n    parts,\n)\nother = desk\n"
    tests = written(tmp_path, CHAIN | {"tests/impl/test_many.py": named})
    for file in ("impl/desk.py", "impl/parts.py"):
        assert of(tests, file) == [("tests/impl/test_many.py", 7)], file
    assert of(tests, "impl/office.py") == [("tests/impl/test_life.py", 7)]


def test_a_circle_of_imports_without_a_test_has_none(tmp_path):
    circle = {"impl/one.py": "from impl import two\n", "impl/two.py": "from impl import one\n"}
    assert of(written(tmp_path, circle), "impl/one.py") == []


def test_some_unit_test_checks_each_file_of_the_implementation():
    """`impl/cluster/desk.py` had none: its change that raises survived `wheelproof mutate`."""
    tests = UnitTests(ROOT)
    files = [
        file.relative_to(ROOT).as_posix()
        for file in sorted((ROOT / "impl").rglob("*.py"))
        if file.name != "__init__.py"
    ]
    assert len(files) > 50
    assert [file for file in files if not of(tests, file)] == []


PROOFS = {
    "proofs/lists/sets.py": "",
    "proofs/lists/terms.py": "from proofs.lists import sets\n",
    "proofs/whole.py": "from proofs.lists import terms\n",
    "tests/proofs/bags/test_terms.py": "",
    "tests/proofs/test_documents.py": "theorems = prove.declared(ROOT)\n",
    "tests/proofs/test_whole.py": "from proofs.whole import THEORY\n",
    "tests/proofs/lists/test_terms.py": "from proofs.lists import terms\n",
}


def test_a_test_that_loads_all_theories_is_not_enough_for_a_file_of_the_proofs(tmp_path):
    """It loads a file, and need not call what the file defines: `bags.py` could raise."""
    tests = written(tmp_path, PROOFS)
    for file in ("proofs/lists/sets.py", "proofs/lists/terms.py"):
        assert {
            (each.tests, each.stage, each.nightly) for each in tests.checks_of("proofs", file)
        } == {
            (
                "tests/proofs/lists/test_terms.py",
                5 if "terms" in file else 7,
                False,
            ),
            ("tests/proofs/lists/test_terms.py", 8, True),
            ("tests/proofs/test_documents.py", 7, False),
        }, file


def test_what_is_far_from_a_file_of_the_proofs_does_not_check_it_by_night(tmp_path):
    far = {"tests/proofs/lists/test_terms.py": ""}
    tests = written(tmp_path, PROOFS | far)
    found = [
        (each.tests, each.nightly) for each in tests.checks_of("proofs", "proofs/lists/sets.py")
    ]
    assert ("tests/proofs/test_whole.py", False) in found
    assert not any(nightly for _, nightly in found)


TOOL = {
    "wheelproof/checks/desk.py": "",
    "wheelproof/checks/parts.py": "from wheelproof.checks import desk\n",
    "wheelproof/checks/office.py": "from wheelproof.checks.parts import Part\n",
    "wheelproof/checks/attic.py": "",
    "tests/wheelproof/checks/test_office.py": "",
    "tests/wheelproof/checks/test_many.py": "from wheelproof.checks import (\n    office,\n)\n",
    "tests/proofs/test_far.py": "import wheelproof.checks.office\n",
    "tests/proofs/test_office.py": "",
}


def test_a_file_of_the_tool_has_the_tests_of_its_name_and_those_that_name_it(tmp_path):
    tests = written(tmp_path, TOOL)

    def selected(name):
        return [
            (each.tests.removeprefix("tests/"), each.stage, each.nightly)
            for each in tests.checks_of("tool", f"wheelproof/checks/{name}.py")
        ]

    assert selected("office") == [
        ("wheelproof/checks/test_office.py", 2, False),
        ("wheelproof/checks/test_many.py", 5, False),
        ("proofs/test_far.py", 7, False),
        ("wheelproof/checks/test_office.py", 8, True),
    ]
    by_import = [("wheelproof/checks/test_many.py", 5, False), ("proofs/test_far.py", 7, False)]
    assert selected("parts") == selected("desk") == by_import
    assert selected("attic") == []


def test_a_test_that_only_names_a_file_of_the_tool_does_not_end_the_search(tmp_path):
    """Its text may name what it never loads."""
    named = {"tests/wheelproof/checks/test_texts.py": 'PATH = "wheelproof/checks/parts.py"\n'}
    tests = written(tmp_path, TOOL | named)
    found = {check.tests for check in tests.checks_of("tool", "wheelproof/checks/parts.py")}
    assert found == {
        "tests/wheelproof/checks/test_texts.py",
        "tests/wheelproof/checks/test_many.py",
        "tests/proofs/test_far.py",
    }


TRACES = {
    "traces/__init__.py": "",
    "traces/lists.py": "",
    "traces/rules.py": "from traces import lists\n",
    "traces/other.py": "",
    "wheelproof/cli.py": "from wheelproof import judging\n",
    "wheelproof/judging.py": "rules = declared.part('rules')\n",
    "tests/run/helper.py": "from wheelproof import judging\n",
    "tests/run/test_by_helper.py": "import helper\n",
    "tests/run/test_by_part.py": "from wheelproof.judging import rules\n",
    "tests/run/test_by_data.py": "TABLE = Path(__file__).with_name('table.toml')\n",
    "tests/run/table.toml": '[first]\nmodule = "traces.rules"\n',
    "tests/fixture/conftest.py": "from wheelproof import judging\n",
    "tests/fixture/test_by_fixture.py": "",
    "tests/far/test_command.py": "from wheelproof import cli\n",
    "tests/far/test_named.py": "FILES = ['tests/run/helper.py', 'tests.run.test_by_part']\n",
    "tests/far/test_data.py": "TABLE = ROOT / 'tests/run/absent.toml', 'pyproject.toml'\n",
    "tests/far/absent.toml": '[first]\nmodule = "traces.rules"\n',
    "pyproject.toml": '[first]\nmodule = "traces.rules"\n',
}
BY = ["by_data", "by_part", "by_fixture", "by_helper"]


def of_traces(tests, name):
    checks = [
        check for check in tests.checks_of("traces", f"traces/{name}.py") if not check.nightly
    ]
    return [Path(check.tests).stem.removeprefix("test_") for check in checks]


def test_a_file_of_traces_has_all_tests_that_reach_it(tmp_path):
    """Also through what stands beside a test, a part's name, a fixture and a data file."""
    tests = written(tmp_path, TRACES)
    assert sorted(of_traces(tests, "rules")) == sorted(of_traces(tests, "lists")) == sorted(BY)
    assert of_traces(tests, "other") == []


@pytest.mark.parametrize(
    ("file", "text", "lost"),
    [
        ("tests/run/table.toml", '[first]\nmodule = "traces.other"\n', {"by_data"}),
        ("tests/run/helper.py", "", {"by_helper"}),
        ("tests/fixture/conftest.py", "", {"by_fixture"}),
        ("wheelproof/judging.py", "rules = declared.part('other')\n", set(BY) - {"by_data"}),
    ],
)
def test_a_test_that_no_longer_reaches_a_file_of_traces_does_not_check_it(
    tmp_path, file, text, lost
):
    tests = written(tmp_path, TRACES | {file: text})
    assert set(of_traces(tests, "lists")) == set(BY) - lost
    assert set(of_traces(tests, "other")) == (lost if "other" in text else set())


def test_the_nearest_folder_of_tests_comes_first(tmp_path):
    """What only names the file comes last: the test may never load it."""
    named = {
        "tests/near/test_again.py": "from traces import rules\n",
        "tests/near/test_near.py": "import traces.lists\n",
        "tests/about/test_texts.py": "TEXT = 'traces/lists.py'\n",
    }
    tests = written(tmp_path, TRACES | named)
    checks = sorted(tests.checks_of("traces", "traces/lists.py"), key=lambda check: check.size)
    folders = [check.tests.split("/")[1] for check in checks]
    assert folders == ["near", "near", "run", "run", "run", "fixture", "about"]


def test_all_tests_that_judge_traces_check_a_family_of_rules():
    """`traces/bulk/entry.py` had one test, whose text names it: most changes survived."""
    tests = UnitTests(ROOT)
    found = set(of_traces(tests, "bulk/entry"))
    assert {"replay", "rules", "damages", "changed", "recorded", "numbered"} <= found
    assert not {"cli", "doctor", "locks"} & found, "they start commands alone"


@pytest.mark.nightly
def test_some_unit_test_checks_each_file_that_unit_tests_alone_check():
    tests = UnitTests(ROOT)
    for artefact in sorted(TESTED):
        files = [
            file.relative_to(ROOT).as_posix()
            for file in sources(ROOT, artefact)
            if file.name != "__init__.py"
        ]
        assert len(files) > 40
        assert [file for file in files if not list(tests.checks_of(artefact, file))] == [], artefact
