"""Composed searches of the timer, with all steps of its lists."""

from tests.model.system_timer import MECHANISM
from wheelproof.checks import composition as layer
from wheelproof.graph import reduced
from wheelproof.python import ControlledImplementation
from wheelproof.python.search.composition import compose

ONE = {
    "wheel_size": 2,
    "levels": 1,
    "task_of": {"e": "x"},
    "deadline": {"e": 1},
    "threads": {
        "adder": [["add", "e"]],
        "canceller": [["cancel", "x"]],
        "clock": [["tick"]],
        "reaper": [["reap"]],
    },
}
HARNESS = (MECHANISM.root / "harness" / "system_timer.py").read_text(encoding="utf-8")
LISTS = (MECHANISM.root / "impl" / "timer_task_list.py").read_text(encoding="utf-8")


def composed(scenario=ONE, mutant="", without="", texts=(), **options):
    """One composed search.

    ``mutant``: the decision that the implementation lacks, ``without``: the model; ``texts``:
    sources in the place of files.
    """
    graph = reduced.reduce(MECHANISM.without(without).model_of(scenario), MECHANISM.silent)
    implementation = ControlledImplementation.load(
        MECHANISM.root,
        MECHANISM.name,
        atomicity="COMPOSED",
        texts=MECHANISM.without(mutant).modules | dict(texts),
    )
    return compose(
        implementation,
        scenario,
        reduced.rows(graph),
        reduced.shared_of(graph),
        layer.labels_of(graph),
        **options,
    )


def changed(text, there, instead):
    assert there in text
    return text.replace(there, instead)
