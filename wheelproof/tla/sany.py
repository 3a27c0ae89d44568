"""SANY in a JVM of its own: the worker behind :mod:`wheelproof.tla.export`.

The module is run as a process, ``python -m wheelproof.tla.sany JVM JAR FILE...``, so that no Python
process that forks or handles signals has a JVM in it. JVM is the runtime's shared library. The
process writes the semantic tree of each ``M.tla`` to ``M.xml`` beside it, and prints one line of
JSON per file: SANY's refusal, or "".
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from wheelproof.tlc.pluscal import OPTIONS

MISSING = "there is no XML exporter in the jar"
_NOISE = re.compile(r"^(Parsing file|Semantic processing of module|Linting of module) .*$", re.M)
_ERRORS = re.compile(r"\*\*\* (?:Errors|Parse Error|Abort messages).*?\n(.*?)(?:\n\n\n|\Z)", re.S)


def refusals(jvm: str, jar: str, files: Sequence[str]) -> Iterator[str]:
    """Export each file; yields SANY's refusal as one line, "" for none."""
    import jpype

    jpype.startJVM(jvm, *OPTIONS, classpath=[jar], convertStrings=True)
    try:
        exporter = jpype.JClass("tla2sany.xml.XMLExporter")
    except TypeError:
        yield from [MISSING] * len(files)
        return
    for file in files:
        yield _export(exporter, Path(file))


def _export(exporter: object, file: Path) -> str:
    import jpype

    system = jpype.JClass("java.lang.System")
    stream, buffer = (
        jpype.JClass("java.io.PrintStream"),
        jpype.JClass("java.io.ByteArrayOutputStream"),
    )
    tree, messages = buffer(), buffer()
    old = system.out, system.err
    system.setOut(stream(tree, True, "UTF-8"))
    system.setErr(stream(messages, True, "UTF-8"))
    jpype.JClass("util.ToolIO").out = jpype.JClass("util.ToolIO").err = system.err
    failure = ""
    try:
        exporter.main(["-o", "-I", str(file.parent), str(file)])  # type: ignore[attr-defined]
    except jpype.JException as error:
        failure = str(error)
    finally:
        system.setOut(old[0])
        system.setErr(old[1])
    xml = bytes(tree.toByteArray())
    output = bytes(messages.toByteArray()).decode("utf-8", "replace")
    if xml.startswith(b"<?xml") and not failure and not _ERRORS.search(output):
        file.with_suffix(".xml").write_bytes(xml)
        return ""
    return refusal(output) or failure or "SANY printed no tree"


def refusal(output: str) -> str:
    """The first error among SANY's messages as one line; "" where there is none."""
    match = _ERRORS.search(output)
    return " ".join((match[1] if match else _NOISE.sub("", output)).split())[:400].rstrip(".")


def main(jvm: str, jar: str, *files: str) -> None:
    for answer in refusals(jvm, jar, files):
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
