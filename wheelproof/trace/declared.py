"""The folder ``traces`` of a project: its kinds of event, their columns, and the rules about them.

The tool reads, orders, stores and judges events; the meaning of an event is the project's. Its
package ``traces`` has these modules, of which the tool asks for no other names (``provided`` has
the types of those that judges ask for):

==============  ===========================================================================
``schema``      ``KINDS``, ``REQUIRED``, ``EXACT``, ``COLUMNS``, ``SEQUENCES``, ``NUMBERED``,
                ``OBSERVED``, ``IDS``, ``OBSERVED_IDS``, ``CAUSES``, ``CONFIG``, ``MEASURES``,
                ``INITIAL``: data
``header``      ``JUDGES``: the checks of ``config`` and ``initial`` of a header
``events``      ``spoken``: an event in a few words
``translator``  ``CALLS``, ``SECTIONS``, ``ACCESSES``, ``UNLABELLED``, ``CONDITIONS``,
                ``observers`` and ``Translator``: which operations are events, and from a
                recorder's records to columns
``runs``        ``infer``: the runs of programs that a recording without a program has
``bulk``        ``FAMILIES`` of rules, ``coverage``, ``lateness``, ``start``, and
                ``needs.json``
==============  ===========================================================================

A project may do without a module. Then each use of it is refused: a project with ``schema`` and
``bulk`` alone has its traces checked, and none recorded.

A project without the folder has the kinds that the tool itself knows, and recordings of labelled
operations, which need nothing of this. A process reads the traces of one project.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal, overload

from wheelproof.errors import UsageError

if TYPE_CHECKING:
    from wheelproof.trace import provided

PACKAGE = "traces"
VARIABLE = "WHEELPROOF_TRACES"
"""Environment variable that names the project's folder to the processes that Spark starts."""


def use(root: Path) -> None:
    """Read the traces of the project in this folder. Raises UsageError where the process reads
    those of another one."""
    init = (root / PACKAGE / "__init__.py").resolve()
    module = sys.modules.get(PACKAGE)
    if module is not None:
        if init.is_file() and Path(str(module.__file__)).resolve() != init:
            raise UsageError(f"{root}: this process reads the traces of {module.__file__}.")
    elif init.is_file():
        _load(init)


def _load(init: Path) -> None:
    os.environ[VARIABLE] = str(init.parent.parent)
    spec = importlib.util.spec_from_file_location(
        PACKAGE, init, submodule_search_locations=[str(init.parent)]
    )
    assert spec is not None and spec.loader is not None
    module = sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def find(name: str) -> ModuleType | None:
    """A module of the project's package; None where the project has no such folder or module."""
    if PACKAGE not in sys.modules:
        use(Path(os.environ.get(VARIABLE, ".")))
    if PACKAGE not in sys.modules:
        spec = importlib.util.find_spec(PACKAGE)
        if spec is None or spec.origin is None:  # a folder of that name may hold something else
            return None
    if importlib.util.find_spec(f"{PACKAGE}.{name}") is None:
        return None
    module = importlib.import_module(f"{PACKAGE}.{name}")
    os.environ.setdefault(VARIABLE, str(Path(str(sys.modules[PACKAGE].__file__)).parents[1]))
    return module


@overload
def part(name: Literal["bulk"]) -> provided.Bulk: ...
@overload
def part(name: Literal["events"]) -> provided.Words: ...
@overload
def part(name: Literal["schema", "translator"]) -> ModuleType: ...
def part(name: str) -> object:
    """A module of the project's package. Raises UsageError where the project has none."""
    module = find(name)
    if module is None and PACKAGE in sys.modules:
        raise UsageError(
            f"The project's folder traces has no module {name}, which this check needs.",
            "Add the module: wheelproof/trace/declared.py says what it has.",
        )
    if module is None:
        raise UsageError(
            "The project has no folder traces, which says what events mean.",
            "Name the subject with --subject, or record labelled operations, which need none.",
        )
    return module
