"""Which modules are looked into: those of the program and all that they import, with exceptions.

The pure modules of the standard library are looked into as any other. The exceptions stand here
with their reasons.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

LEFT_ALONE = frozenset(
    {"_pytest", "greenlet", "hypothesis", "pluggy", "pytest", "wheelproof", "xdist"}
)
"""Packages that are not looked into unless they are named: they run the test."""

BLOCKED = frozenset({"_asyncio"})
"""Modules in C that have a source in Python beside them, which is used instead."""

OWN_TIME = frozenset({"concurrent.futures._base", "queue", "threading"})
"""Modules that ask for the time only to see how long they still wait."""

NOTHING, CONTAINERS, EVERYTHING = range(3)
"""How much of their arguments functions read: nothing, containers, or all that they reach."""

EXCEPTIONS = {
    "the interpreter's import and types are one for the whole process": (
        NOTHING,
        (
            "__future__", "_collections_abc", "_frozen_importlib", "_frozen_importlib_external",
            "_py_abc", "_weakref", "abc", "builtins", "collections.abc", "enum", "importlib",
            "numbers", "pkgutil", "runpy", "site", "sys", "types", "typing", "zipimport",
        ),
    ),
    "its handlers and levels are those of the test's runner": (CONTAINERS, ("logging",)),
    "a fake is one step": (EVERYTHING, ("unittest",)),
    "the test's runner, which the test does not share": (EVERYTHING, ("_pytest", "pytest")),
    "it draws values by functions of the test, which announce what they touch": (
        NOTHING,
        (
            "hypothesis.control", "hypothesis.internal", "hypothesis.stateful",
            "hypothesis.strategies",
        ),
    ),
    "its state is the process's own: signals, files, codecs, addresses in memory": (
        EVERYTHING,
        (
            "codecs", "ctypes", "encodings", "genericpath", "io", "locale", "ntpath", "os",
            "pathlib", "platform", "posixpath", "shutil", "signal", "stat", "sysconfig",
            "warnings",
        ),
    ),
    "it changes no object that it is given, and its caches change no result": (
        EVERYTHING,
        (
            "_colorize", "_compat_pickle", "_compression", "_markupbase", "_opcode_metadata",
            "_strptime", "annotationlib", "ast", "base64", "bisect", "bz2", "calendar", "colorsys",
            "contextvars", "copyreg", "csv", "datetime", "decimal", "difflib", "dis",
            "doctest", "fnmatch", "fractions", "glob", "gzip", "hashlib", "heapq", "hmac", "html",
            "inspect", "ipaddress", "itertools", "json", "keyword", "lzma", "marshal", "math",
            "opcode", "operator", "pdb", "pickle", "pprint", "quopri", "re", "reprlib", "shlex",
            "sre_compile", "sre_constants", "sre_parse", "statistics", "stringprep", "string",
            "struct", "textwrap", "time", "token", "tokenize", "traceback", "unicodedata",
            "urllib.parse", "uuid", "zoneinfo",
        ),
    ),
}  # fmt: skip
"""Reason -> how much is read by the functions of modules that are not looked into, and those."""

LOOKED_INTO_AFTER_ALL = frozenset({"logging.config", "logging.handlers"})
"""Modules within the exceptions that have threads and locks of their own."""

SEVERAL_PROCESSES = "concurrent.futures.process"

_READ = {name: read for read, names in EXCEPTIONS.values() for name in names}


def read_by(module: str) -> int | None:
    """How much functions of a module read; None: they may change their arguments."""
    if module.startswith("namedtuple_"):  # what makes a tuple
        return NOTHING
    if module in LOOKED_INTO_AFTER_ALL:
        return None
    while module:
        if module in _READ:
            return _READ[module]
        module = module.rpartition(".")[0]
    return None


def is_named(name: str, into: Sequence[str]) -> bool:
    """Whether the user names a module, or one within it or around it."""
    return any(
        name == module or name.startswith(module + ".") or module.startswith(name + ".")
        for module in into
    )


def is_looked_into(name: str, into: Sequence[str]) -> bool:
    """Whether a module is to be looked into, as far as its name says."""
    if is_named(name, into):
        return True
    if name == SEVERAL_PROCESSES:
        return False
    root = name.partition(".")[0]
    if root in sys.stdlib_module_names or root in sys.builtin_module_names:
        return read_by(name) is None
    return root not in LEFT_ALONE
