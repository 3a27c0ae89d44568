"""The result of an operation is a part of its last step: planted wrong results are noticed."""

from __future__ import annotations

import pytest

from harness.delayed_operation import Failed
from harness.result import raised
from tests.impl.planting import Control, noticed, planted
from tests.model import delayed_operation, system_timer, timer
from tests.model.artefacts import ROOT
from wheelproof.python import (
    ControlledImplementation,
    StyleError,
    random_schedules,
)
from wheelproof.python.search.difference import compare_results

OPERATION, TIMER, LISTS = delayed_operation.ARTEFACTS, system_timer.ARTEFACTS, timer.ARTEFACTS

PENDING_END = "            if completed or not retry:\n                return done\n"
ONCE_END = "            self.lock.release()  # unlock O2\n        return done\n"
BLOCKING_END = (
    "  # read B2\n"
    "                return False\n"
    "            done = self.try_complete()\n"
    "        return done\n"
)
LINKED = "                self.add_timer_task_entry(entry)\n            done = True\n"
REFUSED = LINKED.replace(
    "self.add_timer_task_entry(entry)\n",
    "try:\n                    self.add_timer_task_entry(entry)\n"
    "                except RuntimeError as refused:\n"
    "                    raise ValueError from refused\n",
)

CONTROLS = {
    "safe_try_complete of TryPending negated": (
        OPERATION,
        Control(
            "two_completers",
            "result",
            "returns",
            ((PENDING_END, PENDING_END.replace("return done", "return not done")),),
        ),
    ),
    "safe_try_complete of TryOnce negated": (
        OPERATION,
        Control(
            "try_once_holder",
            "result",
            "returns",
            ((ONCE_END, ONCE_END.replace("return done", "return not done")),),
        ),
    ),
    "safe_try_complete of Blocking negated": (
        OPERATION,
        Control(
            "blocking_holder",
            "result",
            "returns",
            ((BLOCKING_END, BLOCKING_END.replace("return done", "return not done")),),
        ),
    ),
    "0 instead of False": (
        OPERATION,
        Control(
            "two_completers",
            "result",
            "returns 0, False in the model",
            ((PENDING_END, PENDING_END.replace("return done", "return int(done)")),),
        ),
    ),
    "nothing instead of a boolean": (
        OPERATION,
        Control(
            "two_completers",
            "result",
            "returns None",
            ((PENDING_END, PENDING_END.replace("return done", "return")),),
        ),
    ),
    "who finds the operation completed says that it completed it": (
        OPERATION,
        Control(
            "blocking_holder",
            "result",
            "returns True, False in the model",
            (
                (
                    "            if self.completed.get():  # read B2\n"
                    "                return False\n",
                    "            if self.completed.get():  # read B2\n"
                    "                return True\n",
                ),
            ),
        ),
    ),
    "who finds the conditions unmet says that it completed the operation": (
        OPERATION,
        Control(
            "two_completers",
            "result",
            "returns True, False in the model",
            (
                (
                    "                    done = self.try_complete()\n"
                    "                finally:\n"
                    "                    self.lock.release()  # unlock P3\n",
                    "                    done = self.try_complete() or True\n"
                    "                finally:\n"
                    "                    self.lock.release()  # unlock P3\n",
                ),
            ),
        ),
    ),
    "force_complete of the winner returns False": (
        OPERATION,
        Control(
            "two_completers_expirer",
            "enabled",
            "V1 in the model",
            (
                (
                    "\n        self.cancel()\n        self.on_complete()\n        return True\n",
                    "\n        self.cancel()\n        self.on_complete()\n        return False\n",
                ),
            ),
        ),
    ),
    "an exception of on_complete is swallowed": (
        OPERATION,
        Control(
            "try_once_raising",
            "result",
            "in the model",
            (
                (
                    "        try:\n"
                    "            done = self.try_complete()\n"
                    "        finally:\n"
                    "            self.lock.release()  # unlock O2\n",
                    "        try:\n"
                    "            done = self.try_complete()\n"
                    "        except Exception:\n"
                    "            done = False\n"
                    "        finally:\n"
                    "            self.lock.release()  # unlock O2\n",
                ),
            ),
        ),
    ),
    "an exception instead of False": (
        OPERATION,
        Control(
            "try_once_holder",
            "exception",
            "LookupError",
            (
                (
                    "        if not self.lock.acquire(blocking=False):  # try O1\n"
                    "            return False\n",
                    "        if not self.lock.acquire(blocking=False):  # try O1\n"
                    "            raise LookupError\n",
                ),
            ),
        ),
    ),
    "run returns what force_complete did": (
        OPERATION,
        Control(
            "two_completers_expirer",
            "result",
            "None in the model",
            (
                (
                    "            self.on_expiration()\n",
                    "            self.on_expiration()\n        return True\n",
                ),
            ),
        ),
    ),
    "add raises when it has linked the entry": (
        TIMER,
        Control(
            "one_adder",
            "result",
            "('raised', 'RuntimeError'), None in the model",
            (
                (
                    LINKED,
                    LINKED + '            raise RuntimeError("no room")\n',
                ),
            ),
        ),
    ),
    "add returns a boolean": (
        TIMER,
        Control(
            "one_adder",
            "result",
            "returns True, None in the model",
            ((LINKED, LINKED + "            return True\n"),),
        ),
    ),
    "add to a closed timer is silent": (
        TIMER,
        Control(
            "closing",
            "result",
            "None, ('raised', 'RuntimeError') in the model",
            (
                (
                    LINKED,
                    LINKED.replace("self.add_timer_task_entry(entry)", "self.reinsert(entry)"),
                ),
            ),
        ),
    ),
    "add to a closed timer raises another exception": (
        TIMER,
        Control("closing", "exception", "ValueError", ((LINKED, REFUSED),)),
    ),
    "size is one too many": (
        TIMER,
        Control(
            "one_adder",
            "shared",
            "taskCounter",
            (("return self.task_counter.get()", "return self.task_counter.get() + 1"),),
        ),
    ),
    "close returns whether the timer was open": (
        TIMER,
        Control(
            "closing",
            "rule",
            "the harness drops",
            (("        self.executor.close()", "        return True"),),
        ),
    ),
    "cancel returns a boolean": (
        LISTS,
        Control(
            "remove_cancel",
            "rule",
            "the harness drops",
            (
                (
                    "            self.timer_task_entry = None  # write C3\n",
                    "            self.timer_task_entry = None  # write C3\n        return False\n",
                ),
            ),
        ),
    ),
    "add of a list returns a boolean": (
        LISTS,
        Control(
            "two_adders",
            "rule",
            "the harness drops",
            (
                (
                    "                        done = True\n",
                    "                        done = True\n        return True\n",
                ),
            ),
        ),
    ),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_a_wrong_result_is_noticed(name):
    noticed(*CONTROLS[name])


def test_random_schedules_compare_results_too():
    of, control = CONTROLS["safe_try_complete of TryPending negated"]
    rows, shared_of = of.rows(control.scenario)
    found = random_schedules(
        planted(of, control.changes),
        of.mechanism.scenarios[control.scenario],
        schedules=20,
        rows=rows,
        shared_of=shared_of,
    )
    assert found.outcome == "different" and found.difference.kind == "result"


@pytest.mark.parametrize("handler", ["pass", "return None", "return 'refused'", "x = 1"])
def test_a_harness_that_swallows_an_exception_is_refused(handler):
    text = TIMER.source("harness")
    assert text.count("            return raised(refusal)\n        finally:") == 1
    with pytest.raises(StyleError, match="swallowed"):
        ControlledImplementation.load(
            ROOT,
            TIMER.name,
            texts={
                "harness.system_timer": text.replace(
                    "return raised(refusal)\n        finally:", f"{handler}\n        finally:"
                )
            },
        )


@pytest.mark.parametrize("dropped_as", ["", "_ = ", "done = ", "done = again = "])
def test_a_harness_that_drops_a_result_is_refused(dropped_as):
    text = OPERATION.source("harness")
    dropped = text.replace(
        "            return self.operations[operation].safe_try_complete()",
        f"            {dropped_as}self.operations[operation].safe_try_complete()",
    )
    assert dropped != text
    subject = ControlledImplementation.load(
        ROOT, OPERATION.name, texts={"harness.delayed_operation": dropped}
    )
    rows, shared_of = OPERATION.rows("two_completers")
    found = random_schedules(
        subject,
        OPERATION.mechanism.scenarios["two_completers"],
        schedules=5,
        rows=rows,
        shared_of=shared_of,
    )
    assert found.difference.kind == "rule" and "the harness drops" in found.difference.message


def test_values_are_equal_only_with_their_types():
    assert (
        compare_results((True, None, ("raised", "Failed")), (True, None, raised(Failed())), "a")
        is None
    )
    assert (
        compare_results((1,), (True,), "a")
        and compare_results(((1,),), ((True,),), "a")
        and compare_results((None,), (False,), "a")
    )
    assert compare_results((None, None), None, "a") is None and compare_results((False,), None, "a")
    assert "ends 1 operation with this step, 0 in the model" in compare_results((None,), (), "a")
