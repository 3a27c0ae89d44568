"""The purgatory driven by one thread beside a table of what waits where, and planted faults."""

from __future__ import annotations

import logging

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from impl import delayed_operation_purgatory as shipped
from tests.impl.purgatory_machine import Purgatories
from tests.model.artefacts import ROOT, Artefacts
from tests.nights import only
from wheelproof import isolated


@pytest.fixture(autouse=True)
def quiet():
    """Operations that raise in the timer's thread are logged: no matter here."""
    logger = logging.getLogger("impl.task_executor")
    logger.disabled = True
    yield
    logger.disabled = False


@pytest.mark.fuzz
class TestPurgatories(Purgatories.TestCase):
    """Found by pytest; its length is the Hypothesis profile's."""


# -- planted faults, each found by the same rules and by the property that it breaks

MECHANISM = Artefacts("purgatory").mechanism
MODULE = "impl.delayed_operation_purgatory"
PURGATORY, OPERATION = "impl.purgatory", "impl.delayed_operation"
LOOKS = (
    "        if self.completed.get():  # read L1\n            return False\n",
    "            if self.completed.get():  # read L3\n                return False\n",
)

FAULTS = {
    "an operation is watched on its first key alone": (
        "WatcherReachable",
        (
            PURGATORY,
            "for index in range(len(keys)):\n            if not",
            "for index in (0,):\n            if not",
        ),
    ),
    "purge drops what waits": (
        "WatcherReachable",
        (PURGATORY, "if operation.completed.get():  # read H2", "if True:"),
    ),
    "a cancelled key leaves the timeouts": (
        "NumDelayedExact",
        (
            PURGATORY,
            "            taken.append(operation)\n            operation.cancel()\n",
            "            taken.append(operation)\n",
        ),
    ),
    "what a check completes stays in the list": (
        "WatchedExact",
        (PURGATORY, "self.queue.discard(place)  # update C7", "pass"),
    ),
    "an operation completes as often as a thread completes it": (
        "CompletedOnce",
        *((OPERATION, look, "") for look in LOOKS),
    ),
}
"""Fault -> the property, and (module, old, new) changes."""

DECISIONS = {
    "P2": "NumDelayedExact",
    "EmptyStays": "WatchedExact",
    "CountsKeys": "WatchedExact",
}
"""Decisions of mutants/purgatory whose absence one thread notices, and the property."""


def changed(*changes):
    """The purgatory's module with these changes."""
    texts = {}
    for module, old, new in changes:
        file = (ROOT / module.replace(".", "/")).with_suffix(".py")
        text = texts.get(module) or file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{module}: {old!r} is there {text.count(old)} times"
        texts[module] = text.replace(old, new)
    return isolated.load(ROOT, MODULE, texts)


def without(decision):
    """The purgatory's module without a decision."""
    return isolated.load(ROOT, MODULE, MECHANISM.without(decision).modules)


# A search ends at its first finding. The examples depend on the imported modules: it may need many.
SEARCH = settings(
    max_examples=5_000,
    stateful_step_count=12,
    deadline=None,
    database=None,
    derandomize=True,
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)


def searched(module, only=None, **options):
    planted = type("Planted", (Purgatories,), {"classes": module, "only": only})
    run_state_machine_as_test(planted, settings=settings(SEARCH, **options))


BY_DAY = "EmptyStays"
"""Almost every program shows it; a search for most others depends on what is imported."""


@pytest.mark.parametrize("name", only([*FAULTS, *DECISIONS], BY_DAY))
def test_a_planted_fault_is_found_by_its_property_with_a_small_program(name):
    says, *changes = FAULTS[name] if name in FAULTS else (DECISIONS[name],)
    module = changed(*changes) if changes else without(name)
    with pytest.raises(AssertionError, match=f"^{says}: ") as found:
        searched(module, says)
    text = "\n".join(found.value.__notes__).splitlines()
    text = text[text.index("state = Planted()") :]
    text = [line for line in text if line.startswith("state")]
    print(*text, sep="\n")
    compile("\n".join(text), "program", "exec")
    rules = [line for line in text if "begin" not in line and "holds_what" not in line]
    assert len(rules) - 2 <= 8, "the first line makes the machine, the last one ends it"


ENDS_EARLY = "a check ends with the first operation that it completes"
PROGRAMS = {
    "P7": (
        "WatcherReachable",
        ("when_it_completes", 0, ("check", "k")),
        ("when_it_completes", 0, ("enter", 1, "k", 5)),
        ("enter", 0, "k", 5),
        ("event", 0),
    ),
    "P12": (
        "ExpiredByTimeoutOnly",
        ("executor_is_behind", True),
        ("enter", 0, "k", 1),
        ("advance", 1),
        ("event", 0),
        ("executor_is_behind", False),
    ),
    ENDS_EARLY: (
        "NoLostCompletion",
        ("enter", 0, "k", 5),
        ("enter", 1, "k", 5),
        ("becomes_true", 0),
        ("becomes_true", 1),
        ("check", "k"),
    ),
}
"""Decisions, and a fault, that few programs show: the property, and such a program's rules."""


def ran(module, rules):
    """Run rules by hand, with what is checked after each."""
    machine = type("Planted", (Purgatories,), {"classes": module})()
    machine.begin(0, 1)
    for name, *arguments in rules:
        getattr(machine, name)(*arguments)
        machine.holds_what_waits()


@pytest.mark.parametrize("fault", PROGRAMS)
def test_a_program_shows_a_fault_that_few_do(fault):
    says, *rules = PROGRAMS[fault]
    module = (
        changed((PURGATORY, "completed += 1\n", "return 1\n"))
        if fault == ENDS_EARLY
        else without(fault)
    )
    with pytest.raises(AssertionError, match=f"^{says}: "):
        ran(module, rules)
    ran(shipped, rules)


SHUT = "self.timer.executor.executor.shut"
WAITING = (
    "for lists in [shard.watchers_by_key.lists.values() for shard in self.shards]:\n"
    "            for operation in [o for w in lists for o in [*w.queue.operations.values()]]:\n"
    "                operation"
)


def first(text):
    """A change: shutdown begins with these lines."""
    begin = "        if self.reaper is None:\n            self.purging.close()\n"
    return MODULE, begin, f"        {text}\n{begin}"


WAITS, SHUTS, BLOCK_ENDS = ("enter", 0, "k", 5), ("shutdown", False), ("shutdown", True)
AFTER_SHUTDOWN = {
    "an operation that waits is completed": (
        "Timeout",
        first(f"{WAITING}.force_complete()"),
        WAITS,
    ),
    "an operation that waits leaves the timer": (
        "NumDelayedExact",
        first(f"{WAITING}.cancel()"),
        WAITS,
    ),
    "an operation that waits leaves its list": (
        "WatcherReachable",
        first("for shard in self.shards: shard.watchers_by_key.__init__()"),
        WAITS,
    ),
    "what was handed over is not awaited": (
        "Timeout",
        ("impl.task_executor", "wait=get_ident() != thread", "wait=False"),
        ("executor_is_behind", True),
        ("enter", 0, "k", 1),
        ("advance", 1),
    ),
    "a timeout completes an operation": (
        "Timeout",
        (MODULE, "            self.purging.close()\n", "            pass\n"),
        WAITS,
        SHUTS,
        ("advance", 5),
    ),
    "an event completes no operation": (
        "NoLostCompletion",
        (
            MODULE,
            "    def shutdown(",
            "    def check_and_complete(self, key):\n"
            f"        return 0 if {SHUT} else super().check_and_complete(key)\n\n"
            "    def shutdown(",
        ),
        WAITS,
        SHUTS,
        ("event", 0),
    ),
    "no operation is entered": (
        "Refusal",
        (
            MODULE,
            "        return super().try_complete_else_watch(operation, keys)",
            f"        if {SHUT}:\n            raise RuntimeError('shut down')\n"
            "        return super().try_complete_else_watch(operation, keys)",
        ),
        SHUTS,
        WAITS,
    ),
    "an operation that is due is entered": (
        "Refusal",
        (
            "impl.system_timer",
            "            self.executor.submit(entry)  # update K2",
            "            try:\n                self.executor.submit(entry)\n"
            "            except RuntimeError:\n                pass",
        ),
        SHUTS,
        ("enter", 0, "k", 0),
    ),
    "a second shutdown raises": (
        "Results",
        first(f"if {SHUT}: raise RuntimeError('shut down')"),
        SHUTS,
    ),
    "the end of a block does not shut down": (
        "Timeout",
        (MODULE, "        self.shutdown()\n", "        pass\n"),
        WAITS,
        BLOCK_ENDS,
        ("advance", 5),
    ),
}
"""What must not be after shutdown: the property, the change that makes it so, and such rules."""


@pytest.mark.parametrize("fault", AFTER_SHUTDOWN)
def test_a_program_shows_what_a_shutdown_must_not_do(fault):
    says, change, *rules = AFTER_SHUTDOWN[fault]
    with pytest.raises(AssertionError, match=f"^{says}: "):
        ran(changed(change), [*rules, SHUTS])
    ran(shipped, [*rules, SHUTS])


@pytest.mark.nightly
def test_nothing_planted_is_nothing_found():
    searched(shipped, max_examples=100, stateful_step_count=30, phases=[Phase.generate])


@pytest.mark.nightly
def test_what_matters_only_between_threads_is_not_found_here():
    """P3 drops the second try, which sees what came meanwhile: see the drawn schedules."""
    searched(without("P3"), max_examples=100, phases=[Phase.generate])
