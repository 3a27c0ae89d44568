"""Golden checks on released jars: wheels of Java and Scala, and each generation's known fault.

By day `make verify` has the rows that are made again by night.
"""

from pathlib import Path

import pytest

from tests.found import mechanisms
from wheelproof.checks import jvm as layer
from wheelproof.checks.context import Context
from wheelproof.jvm.jars import NotHere
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
MECHANISMS = mechanisms()


def rows(mechanism, names, output):
    context = Context(MECHANISMS[mechanism], output)
    try:
        layer.fetch(context, names)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    return layer.check(context, names).rows


@pytest.mark.nightly
def test_the_wheel_by_itself_is_the_model_and_a_changed_one_is_not(output):
    names = ["two_keys@4.3.0", "slots-of-milliseconds@4.3.0"]
    sound, changed = rows("timing_wheel", names, output)
    assert (sound.verdict, sound.ok) == (Verdict.EXHAUSTIVE, True)
    assert sound.figures["compared_edges"] == sound.figures["model_edges"] > 0
    assert (changed.verdict, changed.ok) == (Verdict.VIOLATED, True)


@pytest.mark.nightly
def test_the_timer_of_a_scala_release_is_the_model_in_kafkas_order(output):
    (row,) = rows("system_timer", ["kafka_executor@3.0.0"], output)
    assert (row.verdict, row.ok) == (Verdict.EXHAUSTIVE, True)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "property"),
    [
        ("article_lost_completion@1.0.0", "NoLostCompletion"),
        ("locked_try_after_complete@3.9.0", "TryAlwaysExcludesComplete"),
        ("checked_try_beside_complete@4.0.0", "TryAlwaysExcludesComplete"),
        ("blocking_callers_lock NoDeadlock@4.3.0", "NoDeadlock"),
    ],
)
def test_a_known_fault_of_a_release_is_replayed_on_its_jar(output, name, property):
    (row,) = rows("delayed_operation", [name], output)
    assert (row.verdict, row.property, row.ok) == (Verdict.VIOLATED, property, True)
    assert (output / row.trace).is_file()
