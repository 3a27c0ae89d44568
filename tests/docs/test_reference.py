"""The reference pages are complete: tables of the declarations, fields, words, packages."""

import re
import tomllib
from dataclasses import fields

import pytest

from tests.docs.reading import ROOT
from tests.found import mechanisms
from tests.proofs.declared import theorems
from tools import pages, reference
from wheelproof.project import Mechanism, lock_order, meanings
from wheelproof.project.mechanism import KINDS, Composed, Config, Fault, Label, Mutant, Property
from wheelproof.verdict import LAYERS, Verdict

DOCS = ROOT / "docs"


def read(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_declarations():
    for file, text in pages.pages().items():
        assert file.read_text(encoding="utf-8") == text, "Run: python tools/pages.py"


def test_the_page_on_locks_has_every_edge_at_a_place_that_exists():
    declared = lock_order.read(ROOT, mechanisms())
    assert declared is not None
    page = read("docs/lock-order.md")
    for edge, places in declared.edges.items():
        held, taken = edge.split(lock_order.ARROW)
        for place in places:
            file, function, *label = place.split()
            source = read(file)
            assert f"| `{held}` | `{taken}` | [{file}](../{file}) `{function}`" in page
            assert f"def {function.rpartition('.')[2]}(" in source, place
            assert all(f"lock {name}" in source for name in label), place


def test_a_stale_table_is_noticed(tmp_path):
    page = DOCS / "mechanisms" / "atomic.md"
    right = pages.pages()[page]
    stale = right.replace("| invariant |", "| liveness |", 1)
    assert stale != right
    table = pages.properties(mechanisms()["atomic"])
    assert pages.fill(stale, "properties", table) == right


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match="the marks of the table 'decisions'"):
        pages.fill("# A page\n", "decisions", "")


def test_a_reference_page_that_was_changed_is_noticed(tmp_path):
    """One table of each page; a row that is changed by hand is written anew."""
    right = pages.pages()
    for page, old, new in (
        ("declarations", "the decision that is taken away", "anything"),
        ("how-it-works", "each decision is needed", "nothing"),
        ("implementations", "many readers or one writer", "one reader"),
        ("cli", "| 2 | a usage error:", "| 6 | another:"),
    ):
        file = DOCS / f"{page}.md"
        assert right[file].count(old) == 1, old
        stale = tmp_path / "docs" / file.name
        stale.parent.mkdir(exist_ok=True)
        stale.write_text(right[file].replace(old, new), encoding="utf-8")
    (tmp_path / "runtime").symlink_to(ROOT / "runtime")
    made = reference.pages(tmp_path, pages.fill, pages.table)
    assert len(made) == 4
    for file, text in made.items():
        assert file.read_text(encoding="utf-8") != text == right[DOCS / file.name], file.name


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        (lambda says: says.pop("fair"), "Config.fair has no meaning"),
        (lambda says: says.update(planted="a field that is gone"), "Config has no field planted"),
    ],
)
def test_a_field_without_a_meaning_and_a_meaning_without_a_field_are_refused(change, refused):
    known = {kind: dict(says) for kind, says in meanings.FIELDS.items()}
    change(known[Config])
    with pytest.raises(ValueError, match=refused):
        meanings.rows(Config, known)


def test_a_primitive_and_a_kind_of_label_without_a_meaning_are_refused(monkeypatch):
    names = reference.runtime_names(ROOT)
    with pytest.raises(ValueError, match="differ in Planted"):
        reference.primitives(pages.table, [*names, "Planted"])
    with pytest.raises(ValueError, match="differ in Gate"):
        reference.primitives(pages.table, [name for name in names if name != "Gate"])
    monkeypatch.setattr(reference, "KINDS", (*KINDS, "planted"))
    with pytest.raises(ValueError, match="the kinds of labels"):
        reference.kinds(pages.table)


def test_the_readme_says_of_each_mechanism_whether_there_are_proofs():
    assert set(pages.PROVED) == {item.mechanism for item in theorems()}


def without_theorem(limits: str) -> set[str]:
    """The mechanisms that the page on limits names as unproved."""
    if re.search(r"^\* No mechanism is without a theorem\.$", limits, re.M):
        return set()
    (bullet,) = re.findall(r"^\* Of (\w+) mechanisms? no theorem .*?:(.*?)\.$", limits, re.M | re.S)
    named = re.findall(r"`(\w+)`", bullet[1])
    assert bullet[0] == {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}[len(named)]
    return set(named)


def test_the_limits_name_every_mechanism_without_a_theorem():
    unproved = set(mechanisms()) - set(pages.PROVED)
    limits = read("docs/limits.md")
    assert without_theorem(limits) == unproved
    planted = "Of one mechanism no theorem says anything beyond these bounds: `purgatory`."
    other = limits.replace("No mechanism is without a theorem.", planted, 1)
    assert without_theorem(other) == {"purgatory"} != unproved


def unsaid_of_stress(mechanism: Mechanism, page: str) -> list[str]:
    """What a page leaves out: that scenarios do not run on real threads, and which."""
    judged = [
        config
        for config in mechanism.configs.values()
        if (config.expect, config.property, config.module) == ("exhaustive", None, "")
    ]
    run, left = ({of.scenario for of in judged if of.stress is stress} for stress in (True, False))
    few = {f"`{name}`" for name in min(run, left, key=len)}
    return [each for each in ("layer `stress`", *sorted(few)) if left and each not in page]


def test_a_page_says_which_scenarios_do_not_run_on_real_threads():
    found = mechanisms()
    text = {name: read(f"docs/mechanisms/{name}.md") for name in found}
    assert {name: unsaid_of_stress(found[name], text[name]) for name in found} == {
        name: [] for name in found
    }
    assert unsaid_of_stress(found["atomic"], text["timing_wheel"]) == ["layer `stress`"]
    shorter = text["delay_queue"].replace("`due_at_once`", "another")
    assert unsaid_of_stress(found["delay_queue"], shorter) == ["`due_at_once`"]


def test_every_mechanism_has_a_page_and_no_other_has():
    there = {page.stem for page in (DOCS / "mechanisms").glob("*.md")} - {"index"}
    assert there == set(mechanisms())


def test_the_declarations_page_names_every_field():
    page = read("docs/declarations.md")
    elsewhere = {"name", "generated", "distinct", "depth", "decision", "event"}
    for kind in (Property, Label, Config, Mutant, Composed, Fault):
        for field in fields(kind):
            assert field.name in elsewhere or f"`{field.name}" in page, (kind.__name__, field.name)
    for kind in KINDS:
        assert f"`{kind}`" in page


def test_every_verdict_and_layer_has_a_line():
    reference = read("docs/cli.md")
    for verdict in Verdict:
        assert f"| {verdict} |" in reference
    explained = read("docs/how-it-works.md")
    for layer in set(LAYERS) - {"trace", "mutate"}:
        assert f"| `{layer}` |" in explained


def test_the_glossary_defines_each_word_once_in_order():
    rows = re.findall(r"^\| ([^|]+?) \| ", read("docs/glossary.md"), re.MULTILINE)[2:]
    assert rows == sorted(set(rows), key=str.lower)
    assert {"mutant", "label", "scenario", "harness", "refinement mapping"} <= set(rows)


def drawn(page: str) -> list[set[str]]:
    """The packages of the picture, from top to bottom; those between two bars are one set."""
    picture = page.partition("## Packages of `wheelproof/`")[2].partition("```\n")[2]
    groups = picture.partition("```")[0].split("  │\n")
    return [{line.split()[0] for line in group.splitlines()} for group in groups]


def test_the_picture_of_packages_is_the_contract_that_lint_checks():
    contracts = tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    (layers,) = [each["layers"] for each in contracts if each.get("containers") == ["wheelproof"]]
    page = read("ARCHITECTURE.md")
    wanted = [set(line.split(" | ")) for line in layers]
    assert drawn(page) == wanted
    assert drawn(page.replace("\n jvm  ", "\n jar  ")) != wanted


def test_the_architecture_names_every_package():
    page = read("ARCHITECTURE.md")
    packages = {file.parent.name for file in (ROOT / "wheelproof").glob("*/__init__.py")}
    for package in packages:
        assert re.search(rf"^\| .*`{package}`.* \|", page, re.MULTILINE), package
    files = [*(ROOT / "wheelproof" / "python").rglob("*.py")]
    modules = {file.stem for file in files} | {file.parent.name for file in files}
    inside = page.partition("### Inside `python`")[2].partition("\n##")[0]
    named = set(re.findall(r"`(\w+)`", inside))
    assert named <= modules, "a module of python/ that there is not"


WHOLE = ("claims.md", "theorems.md")
"""Pages of which a command makes every line."""


def existing(names) -> set[str]:
    return {file.relative_to(ROOT).as_posix() for name in names for file in ROOT.glob(name)}


def generated() -> set[str]:
    """The files of which a command makes every line, as CONTRIBUTING.md names them."""
    table = read("CONTRIBUTING.md").partition("## Generated files")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| ")]
    names = {name for cell in cells for name in re.findall(r"`([\w./*-]+\.\w+)`", cell)}
    return existing({name for name in names if not name.endswith(".md") or name.endswith(WHOLE)})


def folded(attributes: str) -> set[str]:
    """The files that reviews fold."""
    lines = [line.split() for line in attributes.splitlines() if line[:1] != "#"]
    return existing(pattern for pattern, *words in lines if "linguist-generated" in words)


def test_reviews_fold_the_generated_files_alone():
    assert len(generated()) > 60
    assert folded(read(".gitattributes")) == generated()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("spec/plan.json linguist-generated\n", ""),
        ("spec/models/MC*.cfg linguist-generated\n", ""),
        ("docs/claims.md linguist-generated", "docs/claims.md"),
        ("docs/claims.md", "docs/*.md"),
        ("spec/counts.json", "spec/*.tla"),
    ],
)
def test_a_mark_that_is_missing_or_too_many_is_noticed(old, new):
    attributes = read(".gitattributes")
    assert attributes.count(old) == 1
    assert folded(attributes.replace(old, new)) != generated()
