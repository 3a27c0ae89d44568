"""D1's correction in Java, compiled from a diff, is the corrected specification and not Kafka's."""

from pathlib import Path

import pytest

from tests.found import mechanisms
from wheelproof.checks import jvm as layer
from wheelproof.checks.context import Context
from wheelproof.errors import ToolError, UsageError
from wheelproof.jvm import declaration
from wheelproof.jvm.jars import NotHere
from wheelproof.jvm.setup import of_release
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
MECHANISM = mechanisms()["system_timer"]
NAMES = ["stalled_adder", "kafka_stalled_adder", "forgets-the-polled"]


def test_the_fix_is_the_corrected_timer_and_not_kafkas(tmp_path):
    context = Context(MECHANISM, tmp_path)
    names = [f"{name}@4.3.0-fixed" for name in NAMES]
    try:
        layer.fetch(context, names)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    fixed, kafka, changed = layer.check(context, names).rows
    assert (fixed.verdict, fixed.ok) == (Verdict.EXHAUSTIVE, True)
    assert fixed.figures["compared_edges"] == fixed.figures["model_edges"] > 0
    assert (kafka.verdict, kafka.property, kafka.ok) == (Verdict.VIOLATED, "Bisimulation", True)
    assert "reaper is at R3, in the model at R5" in kafka.why
    assert (changed.verdict, changed.property, changed.ok) == (
        Verdict.VIOLATED,
        "Bisimulation",
        True,
    )


def test_both_orders_have_the_same_scenarios_but_for_those_with_a_reason():
    bindings = declaration.find(ROOT)
    fixed = bindings["system_timer_fixed"]
    assert set(fixed.scenarios(MECHANISM)) | set(fixed.absent) == {
        name for name, item in MECHANISM.scenarios.items() if item["timer"] == "SystemTimer"
    }
    assert fixed.classes == bindings["system_timer_java"].classes


# -- files that are like another


def written(folder, text, base='mechanism = "m"\n[labels]\nA = ["x"]\nB = ["y"]\n'):
    (folder / "base.toml").write_text(
        'releases = ["1"]\nclasses = ["C"]\nharness = ["H"]\n' + base, encoding="utf-8"
    )
    (folder / "own.toml").write_text(text, encoding="utf-8")
    return declaration.read(folder / "own.toml")


def test_a_file_has_the_fields_of_the_one_that_it_is_like(tmp_path):
    own = written(tmp_path, 'like = "base"\nreleases = ["2"]\n[labels]\nB = []\nC = ["z"]\n')
    assert (own.mechanism, own.releases) == ("m", ("2",))
    assert own.labels == {"A": ("x",), "C": ("z",)}


def test_an_empty_reason_takes_a_reason_away(tmp_path):
    base = 'mechanism = "m"\n[labels]\n[unused]\nA = "why"\nB = "why"\n'
    own = written(tmp_path, 'like = "base"\n[unused]\nA = ""\n', base)
    assert own.unused == {"B": "why"}


def test_a_name_in_another_machine_goes_with_the_scenario_that_is_rejected(tmp_path):
    base = 'mechanism = "m"\n[labels]\nA = ["x"]\n[rejects]\ns = "why"\n[renamed.s]\nA = "B"\n'
    assert written(tmp_path, 'like = "base"\n', base).beside("s").labels == {"B": ("x",)}
    own = written(tmp_path, 'like = "base"\n[rejects]\ns = ""\n', base)
    assert own.renamed == {} and own.beside("s").labels == {"A": ("x",)}


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('[renamed.t]\nA = "C"\n', r"renamed\.t is no scenario of rejects"),
        ('[renamed.s]\nC = "D"\n', r"renamed\.s: there is no label C"),
        ('[renamed.s]\nA = "B"\n', r"renamed\.s: B has sites of its own"),
    ],
)
def test_a_name_for_nothing_is_refused(tmp_path, table, says):
    with pytest.raises(UsageError, match=says):
        written(tmp_path, f'like = "base"\n[rejects]\ns = "why"\n{table}')


def test_a_file_that_is_like_none_is_refused(tmp_path):
    with pytest.raises(UsageError, match="there is no gone.toml, which it is like"):
        written(tmp_path, 'like = "gone"\n')


# -- diffs


def test_a_diff_without_a_jar_of_sources_is_refused(tmp_path):
    binding = declaration.find(ROOT)["system_timer_fixed"]
    java = Path("java")
    try:
        of_release(java, ROOT, tmp_path, declaration.find(ROOT)["timing_wheel"], "4.3.0", True)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    with pytest.raises(ToolError, match=r"fix\.diff changes .* there is no jar of sources"):
        of_release(java, ROOT, tmp_path, binding, "4.3.0", True)
