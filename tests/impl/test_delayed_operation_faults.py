"""Faults planted in impl/delayed_operation.py: the comparison with the model must name each."""

import pytest

from tests.impl.planting import Control, bisimulated, noticed, planted, swapped
from tests.model.delayed_operation import ARTEFACTS, NAME, ROOT
from tests.nights import only
from wheelproof.python import ControlledImplementation

# -- negative controls

FINALLY = """                finally:
                    self.lock.release()  # unlock P3
"""
READ = "                retry = self.try_complete_pending.get()  # read P4\n"
ONCE = """        try:
            done = self.try_complete()
        finally:
            self.lock.release()  # unlock O2
"""
FORCED = """            return False
        self.cancel()
        self.on_complete()
        return True
"""
LOCKED = """            self.completed.set(True)  # write L4
            self.cancel()
            self.on_complete()
"""

CONTROLS = {
    # the note
    "the note is read before the unlock": Control(
        "two_completers", "label", "P3 in the model", ((FINALLY + READ, "    " + READ + FINALLY),)
    ),
    "the note is not cleared": Control(
        "two_completers",
        "shared",
        "pending",
        (("set(False)  # write P2", "set(True)  # write P2"),),
    ),
    "the note is cleared after tryComplete": Control(
        "two_completers",
        "label",
        "P2 in the model",
        (
            (
                "                    self.try_complete_pending.set(False)  # write P2\n"
                "                    done = self.try_complete()\n",
                "                    done = self.try_complete()\n"
                "                    self.try_complete_pending.set(False)  # write P2\n",
            ),
        ),
    ),
    "no note is left": Control(
        "two_completers",
        "shared",
        "pending",
        (("get_and_set(True)  # swap P5", "get_and_set(False)  # swap P5"),),
    ),
    "the second to leave a note tries again": Control(
        "two_completers",
        "enabled",
        "can take P1 in the model and has ended",
        (
            (
                "retry = not self.try_complete_pending.get_and_set",
                "retry = self.try_complete_pending.get_and_set",
            ),
        ),
    ),
    "a completed operation is tried again": Control(
        "two_completers", "enabled", "P1", (("if completed or not retry:", "if not retry:"),)
    ),
    # the lock
    "the lock is not given back where onComplete raises, TryPending": Control(
        "raising",
        "enabled",
        "P3",
        (
            (
                "                try:\n"
                "                    self.try_complete_pending.set(False)  # write P2\n"
                "                    done = self.try_complete()\n" + FINALLY,
                "                self.try_complete_pending.set(False)  # write P2\n"
                "                done = self.try_complete()\n"
                "                self.lock.release()  # unlock P3\n",
            ),
        ),
    ),
    "the lock is not given back where onComplete raises, TryOnce": Control(
        "try_once_raising",
        "enabled",
        "O2",
        (
            (
                ONCE,
                "        done = self.try_complete()\n"
                "        self.lock.release()  # unlock O2\n"
                "        return done\n",
            ),
        ),
    ),
    "the lock is not given back at all": Control(
        "two_completers",
        "label",
        "P3 in the model",
        ((FINALLY, "                finally:\n                    pass\n"),),
    ),
    "the lock is waited for": Control(
        "two_completers",
        "enabled",
        "P1",
        (("acquire(blocking=False):  # try P1", "acquire():  # lock P1"),),
    ),
    "another lock in forceComplete": Control(
        "blocking",
        "unnamed",
        "`Monitor()` is on the evaluation stack",
        (("with self.lock:  # lock L2, unlock L7", "with Monitor():  # lock L2, unlock L7"),),
    ),
    # completion
    "onComplete before cancel": Control(
        "two_completers",
        "label",
        "X3 in the model",
        (
            (
                FORCED,
                FORCED.replace(
                    "        self.cancel()\n        self.on_complete()\n",
                    "        self.on_complete()\n        self.cancel()\n",
                ),
            ),
        ),
    ),
    "onComplete before cancel, under the lock": Control(
        "blocking",
        "label",
        "L5 in the model",
        (
            (
                LOCKED,
                LOCKED.replace(
                    "            self.cancel()\n            self.on_complete()\n",
                    "            self.on_complete()\n            self.cancel()\n",
                ),
            ),
        ),
    ),
    "onComplete is called by every thread": Control(
        "two_completers_expirer",
        "label",
        "takes X3 next, P3 in the model",
        (("# cas X1\n            return False\n", "# cas X1\n            pass\n"),),
    ),
    "the timer is not cancelled": Control(
        "two_expirers",
        "label",
        "X3 in the model",
        ((FORCED, FORCED.replace("        self.cancel()\n", "")),),
    ),
    "no thread expires it": Control(
        "two_expirers",
        "enabled",
        "V1",
        (("            self.on_expiration()\n", "            pass\n"),),
    ),
    "completed again under the lock": Control(
        "blocking",
        "label",
        "takes L4 next, L7 in the model",
        (
            (
                "            if self.completed.get():  # read L3\n                return False\n",
                "            self.completed.get()  # read L3\n",
            ),
        ),
    ),
    "completed is not read first": Control(
        "blocking",
        "label",
        "L1 in the model",
        (("        if self.completed.get():  # read L1\n            return False\n", ""),),
    ),
    "tried although completed": Control(
        "blocking",
        "label",
        "takes Y1 next, B3 in the model",
        (
            (
                "            if self.completed.get():  # read B2\n                return False\n",
                "            self.completed.get()  # read B2\n",
            ),
        ),
    ),
    "an attempt that forces": Control(
        "try_once",
        "label",
        "Y1 in the model",
        (
            (
                "            done = self.try_complete()\n"
                "        finally:\n"
                "            self.lock.release()  # unlock O2",
                "            done = self.force_complete()\n"
                "        finally:\n"
                "            self.lock.release()  # unlock O2",
            ),
        ),
    ),
    # labels
    "P4 and P6 swapped": Control(
        "two_completers", "label", "takes P6 next, P4 in the model", swapped("read P4", "read P6")
    ),
    "P2 and P4 swapped": Control("two_completers", "rule", "P4", swapped("write P2", "read P4")),
    "P2 and P4 swapped, but for their kinds": Control(
        "two_completers",
        "label",
        "takes P4 next, P2 in the model",
        (("# write P2\n", "# write P4\n"), ("# read P4\n", "# read P2\n")),
    ),
    "L1 and L3 swapped": Control(
        "blocking", "label", "takes L3 next, L1 in the model", swapped("read L1", "read L3")
    ),
    "no label on a read": Control(
        "two_completers",
        "rule",
        "read without a label in safe_try_complete",
        (("  # read P4", ""),),
    ),
    "no label on a write": Control(
        "two_completers",
        "rule",
        "write without a label in safe_try_complete",
        (("  # write P2", ""),),
    ),
    "no label on a try": Control(
        "two_completers", "rule", "without a label in safe_try_complete", (("  # try P1", ""),)
    ),
    "no label on a swap": Control(
        "two_completers",
        "rule",
        "swap without a label in safe_try_complete",
        (("  # swap P5", ""),),
    ),
    "no label on a compare-and-set": Control(
        "two_completers", "rule", "cas without a label in force_complete", (("  # cas X1", ""),)
    ),
    "no label on an unlock": Control(
        "two_completers",
        "rule",
        "unlock without a label in safe_try_complete",
        (("  # unlock P3", ""),),
    ),
    "a swap labelled as a write": Control(
        "two_completers", "rule", "swap", (("# swap P5", "# write P5"),)
    ),
    "a compare-and-set labelled as a write": Control(
        "two_completers", "rule", "cas", (("# cas X1", "# write X1"),)
    ),
    "a try labelled as a lock": Control(
        "two_completers", "rule", "try", (("# try P1", "# lock P1"),)
    ),
    "two reads on a line": Control(
        "two_completers",
        "lint",
        "no-branch",
        (
            (
                "completed = self.completed.get()  # read P6",
                "completed = self.completed.get() or self.completed.get()  # read P6",
            ),
        ),
    ),
}


SCENARIOS = sorted({control.scenario for control in CONTROLS.values()})


@pytest.mark.parametrize("scenario", only(SCENARIOS, "blocking", "try_once"))
def test_the_implementation_as_it_is_passes(scenario):
    bisimulation = bisimulated(ARTEFACTS, ControlledImplementation.load(ROOT, NAME), scenario)
    assert bisimulation.outcome == "equal" and not bisimulation.uncovered


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_is_noticed(name):
    noticed(ARTEFACTS, CONTROLS[name])


def test_a_control_whose_text_is_not_there_is_no_control():
    with pytest.raises(AssertionError, match="is there 0 times"):
        planted(ARTEFACTS, (("no such line", ""),))


def test_a_change_out_of_reach_of_the_scenario_passes():
    """Why every control names its scenario: no thread raises in this one."""
    changes = CONTROLS["the lock is not given back where onComplete raises, TryOnce"].changes
    assert bisimulated(ARTEFACTS, planted(ARTEFACTS, changes), "try_once_alone").outcome == "equal"
