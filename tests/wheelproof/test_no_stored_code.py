"""Nothing that is read from the disk is run, but for the sources of the project and of the tool."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("wheelproof", "proofs", "tools", "traces", "real", "runtime", "benchmarks", "demo")

_MODULES = """
pickle _pickle cPickle pickletools marshal shelve dill cloudpickle joblib jsonpickle hickle klepto
torch tensorflow keras yaml ruamel ruamel_yaml zipimport runpy codeop
"""
MODULES = frozenset(_MODULES.split())
"""Modules whose readers run or make what a file says, or that run files."""

BUILTINS = frozenset({"eval", "exec", "compile"})

_CALLS = """
read_pickle to_pickle unpickle pickleFile saveAsPickleFile SourcelessFileLoader CodeType
FunctionType
"""
CALLS = frozenset(_CALLS.split())
"""Functions and methods that do, by whatever module they come."""

SHELLS = frozenset({"system", "popen"})
"""Functions of ``os`` that run a line."""

KEYWORDS = {("allow_pickle", True), ("shell", True), ("weights_only", False)}

NAMED = frozenset({"import_module", "__import__", "find_spec"})
"""Functions that import what their first argument says."""

ALLOWED = {
    (
        "benchmarks/races/programs/joblib_threads.py",
        "joblib",
    ): "the package under test, whose threads hand over objects of one process",
    (
        "wheelproof/tla/driving/adapter.py",
        "exec",
    ): "the source of the adapter that the command names, and no bytecode of it",
    (
        "wheelproof/plain/counterparts.py",
        "FunctionType",
    ): "the code of a source under test, instrumented",
    (
        "wheelproof/plain/instrument/rewriter.py",
        "compile",
    ): "a source under test, with a call before each access",
    ("wheelproof/plain/modules.py", "exec"): "the same",
    ("wheelproof/plain/evaluation.py", "compile"): "a call of it in a source under test",
    ("wheelproof/plain/evaluation.py", "exec"): "the same",
    ("wheelproof/plain/evaluation.py", "eval"): "the same",
    ("wheelproof/isolated.py", "compile"): "a source of the project, which is under test",
    ("wheelproof/python/style/branches.py", "compile"): "the same, with notes of its branches",
    (
        "wheelproof/python/style/dropped.py",
        "compile",
    ): "the same, with a harness whose calls are checked",
    ("wheelproof/python/search/loading.py", "compile"): "the same, as it is",
    ("wheelproof/trace/steps/loading.py", "compile"): "the same, with a recorder's classes",
    ("wheelproof/tla/program.py", "compile"): "code of a syntax tree, whose names are checked",
    ("wheelproof/tla/environment.py", "exec"): "the same",
    ("wheelproof/tla/environment.py", "eval"): "the same",
    ("wheelproof/mutate/python_changes.py", "compile"): "two sources are compared, and none is run",
    ("wheelproof/prove/ts/concrete.py", "compile"): "code that is made of a theorem's terms",
    ("wheelproof/prove/ts/concrete.py", "exec"): "the same",
    ("proofs/crosshair/table.py", "eval"): "contracts in the sources of a proof",
    ("proofs/heap/planted_code.py", "compile"): "a source of the project, with a fault",
    ("proofs/heap/planted_code.py", "exec"): "the same",
    ("proofs/heap/turns.py", "compile"): "a part of a source of the project",
    ("proofs/heap/turns.py", "exec"): "the same",
}
"""File and name -> why it runs nothing that was stored."""

REFUSED = MODULES | BUILTINS | CALLS | SHELLS | {name for name, _ in KEYWORDS}

WORDS = re.compile(
    rf"(?<!re\.)\b(?:{'|'.join(sorted((REFUSED | NAMED) - SHELLS))})\b|\bos\b.*\b(?:system|popen)\b"
)
"""Of what a source is read."""


def uses(text):
    """(line, name) of what a source imports or calls that may run what was stored."""
    if not WORDS.search(text):
        return []
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import():
                names = [each.name for each in node.names]
            case ast.ImportFrom():
                of = {"os": SHELLS, "builtins": BUILTINS}.get(node.module or "", ())
                names = [node.module or "", *(each.name for each in node.names if each.name in of)]
            case ast.Call(func=ast.Attribute(ast.Name("os"), name)) if name in SHELLS:
                names = [name]
            case ast.Call(func=ast.Attribute(ast.Name("builtins"), name)) if name in BUILTINS:
                names = [name]
            case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name)):
                plain = isinstance(node.func, ast.Name)
                names = [name] if name in CALLS or (plain and name in BUILTINS) else []
                if name in NAMED and node.args and isinstance(node.args[0], ast.Constant):
                    names.append(str(node.args[0].value))
                names += [
                    str(each.arg)
                    for each in node.keywords
                    if isinstance(each.value, ast.Constant)
                    and (each.arg, each.value.value) in KEYWORDS
                ]
            case _:
                continue
        found += [(node.lineno, name) for name in names if {name, name.partition(".")[0]} & REFUSED]
    return found


PLANTED = {
    "import pickle": "pickle",
    "from pickle import loads as read": "pickle",
    "import _pickle": "_pickle",
    "def f():\n    import marshal": "marshal",
    "import shelve as s": "shelve",
    "importlib.import_module('pickle').loads(file.read_bytes())": "pickle",
    "__import__('dill')": "dill",
    "from joblib import load": "joblib",
    "import torch.serialization": "torch",
    "numpy.load(file, allow_pickle=True)": "allow_pickle",
    "pandas.read_pickle(file)": "read_pickle",
    "spark.sparkContext.pickleFile(path)": "pickleFile",
    "import yaml": "yaml",
    "eval(file.read_text())": "eval",
    "exec(file.read_text(), {})": "exec",
    "builtins.exec(text)": "exec",
    "from builtins import eval as e": "eval",
    "compile(text, file, 'exec')": "compile",
    "runpy.run_path(file)": None,
    "import runpy": "runpy",
    "types.FunctionType(code, {})": "FunctionType",
    "subprocess.run(line, shell=True)": "shell",
    "os.system(line)": "system",
    "from os import popen": "popen",
    "system(state)": None,
    "re.compile(text)": None,
    "model.eval(term)": None,
    "from types import CodeType": None,
    "json.loads(text)": None,
    "numpy.load(file, allow_pickle=False)": None,
}
"""A source -> the name that is refused in it; None for what is not."""


@pytest.mark.parametrize("text", PLANTED)
def test_each_way_to_run_what_was_stored_is_refused(text):
    name = PLANTED[text]
    assert {each.partition(".")[0] for _, each in uses(text)} == ({name} if name else set())


def sources(suffix):
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob(f"*{suffix}"))


def test_no_source_runs_what_was_stored():
    found = {}
    for file in sources(".py"):
        place = file.relative_to(ROOT).as_posix()
        for line, name in uses(file.read_text(encoding="utf-8")):
            found.setdefault((place, name), line)
    new = {f"{place}:{line} {name}" for (place, name), line in found.items()} - {
        f"{place}:{found[place, name]} {name}" for place, name in ALLOWED if (place, name) in found
    }
    assert not new, "it may run what was stored; say in ALLOWED why it does not"
    assert not ALLOWED.keys() - found.keys(), "these are no longer needed"


JAVA = re.compile(r"ObjectInputStream|readObject|XMLDecoder|ScriptEngine|JavaCompiler|defineClass")
"""What makes objects or classes of stored bytes, in Java."""

LOADERS = {
    "wheelproof/jvm/explore/java/Loader.java": "classes of a harness and its jars, with hooks",
    "wheelproof/jvm/java/SubjectLoader.java": "classes of pinned jars, with marks",
    "wheelproof/tlc/server/Loader.java": "TLC's classes of its pinned jar, without finalizers",
}


def test_no_java_reads_objects():
    assert JAVA.search("new ObjectInputStream(in).readObject()")
    found = {
        file.relative_to(ROOT).as_posix()
        for file in sources(".java")
        if JAVA.search(file.read_text(encoding="utf-8"))
    }
    assert found == LOADERS.keys()
