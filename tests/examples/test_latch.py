"""The page docs/verify-java.md: its listings are examples/latch, its output is printed today."""

import re
import shutil
from pathlib import Path

import pytest

from tests.examples.pages import ONE_PROCESS, ROOT, change, files, listings, printed_by, wheelproof
from tests.nights import by_night
from wheelproof import project
from wheelproof.checks import jobs, jvm
from wheelproof.checks.context import Context
from wheelproof.errors import UsageError
from wheelproof.jvm.jars import NotHere

SUBJECT = ROOT / "examples" / "latch"
PAGE = (ROOT / "docs" / "verify-java.md").read_text(encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("build", "__pycache__")
    return Path(shutil.copytree(SUBJECT, tmp_path / "copy", ignore=ignored))


@pytest.fixture(scope="module")
def output(tmp_path_factory) -> Path:
    """A folder with compiled classes; without Java or the jars of the layer nothing is run."""
    folder = tmp_path_factory.mktemp("build")
    try:
        jvm.fetch(Context(project.find(SUBJECT)["latch"], folder), ["two@source"])
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    return folder


@pytest.mark.nightly
def test_the_page_alone_makes_the_subject(tmp_path):
    found = listings(PAGE)
    assert len(found) == 7
    for name, text in found.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for command in ("translate spec/Latch.tla", "list --update-counts", "list --update-plan"):
        printed = printed_by(PAGE, f"wheelproof {command}")
        assert wheelproof(tmp_path, *command.split()) == (0, printed)
    assert files(tmp_path) == files(SUBJECT)


@pytest.mark.nightly
@pytest.mark.slow
def test_every_layer_passes_and_the_difference_reads_as_on_the_page(output, copy):
    code, printed = wheelproof(copy, "verify", "--verbose", "--output", str(output), *ONE_PROCESS)
    shown = printed_by(PAGE, "wheelproof verify --verbose").splitlines()
    for line in shown:
        if line.startswith("latch"):
            assert re.search(" +".join(map(re.escape, line.split()[:5])), printed), line
        elif not line.startswith("mechanism"):
            assert line in printed.splitlines(), line
    assert code == 0 and len([line for line in shown if line.startswith("latch")]) == 4
    name = "counterexamples/latch.jvm.opens-early@source.json"
    code, printed = wheelproof(copy, "show", str(output / name), "--width", "100")
    assert code == 0 and printed.startswith(printed_by(PAGE, f"wheelproof show build/{name}"))
    expected = printed_by(PAGE, f"wheelproof replay build/{name}")
    assert wheelproof(copy, "replay", str(output / name)) == (1, expected)


def test_a_bug_in_the_source_is_named_as_on_the_page(output, copy):
    write, opens = "                count = left - 1;\n", "                if (left == 1) {\n"
    text = (copy / "jvm/latch/Latch.java").read_text(encoding="utf-8")
    block = text[
        text.index(opens) : text.index("            }\n        }\n    }\n\n    public bool")
    ]
    change(copy / "jvm/latch/Latch.java", write + block, block + write)
    code, printed = wheelproof(copy, "jvm", "two", "--output", str(output), *ONE_PROCESS)
    quoted = "after step 6, b.C2: b is at C4, in the model at C3"
    assert quoted in PAGE and quoted in printed and code == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"Latch.count:*" = "the harness alone calls it"\n',
            "",
            "Latch.count:GETFIELD count#0 has no label and no reason",
        ),
        by_night(('A1 = ["Latch.isOpen:GETFIELD opened#0"]\n', "", "the label A1 has no site")),
    ],
)
def test_a_fault_of_the_table_is_named_as_on_the_page(output, copy, old, new, message):
    change(copy / "jvm/latch.toml", old, new)
    code, printed = wheelproof(copy, "jvm", "--output", str(output), *ONE_PROCESS)
    assert message in PAGE and message in printed and code != 0


def test_a_mechanism_in_java_without_classes_is_refused_as_on_the_page(copy):
    (copy / "jvm/latch.toml").unlink()
    message = "in_java = true, and no jvm/NAME.toml has classes of it"
    assert message in PAGE
    with pytest.raises(UsageError, match=re.escape(message)):
        jobs.plan(project.find(copy)["latch"], "fast", lambda *layers: True)
    assert wheelproof(copy, "verify")[0] == 2


def test_a_mechanism_in_java_has_no_parts_in_python(copy):
    with (copy / "spec/Latch.toml").open("a", encoding="utf-8") as file:
        file.write('\n[composed.both]\nscenario = "two"\n')
    with pytest.raises(UsageError, match="in_java = true, and there are composed"):
        project.find(copy)
    change(copy / "spec/Latch.toml", "in_java = true", 'in_java = "yes"')
    with pytest.raises(UsageError, match="in_java is no truth value"):
        project.find(copy)


def test_no_layer_in_python_is_planned():
    mechanism = project.find(SUBJECT)["latch"]
    layers = {
        layer for job in jobs.plan(mechanism, "nightly", lambda *_: True) for layer in job.layers
    }
    assert layers == {"tlc", "graph", "liveness", "jvm"}
