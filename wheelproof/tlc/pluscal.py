"""PlusCal translations made by one JVM: the worker behind :mod:`wheelproof.tlc.translation`.

The module is run as a process of its own, ``python -m wheelproof.tlc.pluscal JVM JAR FILE...``, so
that no Python process that forks or handles signals has a JVM in it. JVM is the runtime's shared
library. The process translates each file in place and prints one line of JSON per file: the
translator's refusal, or "".
"""

import json
import sys
from collections.abc import Iterator, Sequence

OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Dfile.encoding=UTF-8",
)
"""Those of a JVM that lives for a second."""

MISSING = "there is no PlusCal translator in the jar"
_PREFIX = "Unrecoverable error:"


def refusals(jvm: str, jar: str, files: Sequence[str]) -> Iterator[str]:
    """Translate each file in place; yields its refusal as one line, "" for none."""
    import jpype

    jpype.startJVM(jvm, *OPTIONS, classpath=[jar], convertStrings=True)
    try:
        translator, output = jpype.JClass("pcal.trans"), jpype.JClass("util.ToolIO")
    except TypeError:
        yield from [MISSING] * len(files)
        return
    output.setMode(output.TOOL)
    for file in files:
        output.reset()
        status = translator.runMe(["-nocfg", file])
        messages = " ".join(" ".join(output.getAllMessages()).split())
        success = status == 0 and "Translation completed" in messages
        _, prefix, reason = messages.rpartition(_PREFIX)
        failure = f"the translator ended with status {status}: {messages or 'no message'}"
        yield (
            "" if success else reason.strip().removeprefix("-- ").rstrip(".") if prefix else failure
        )


def main(jvm: str, jar: str, *files: str) -> None:
    for refusal in refusals(jvm, jar, files):
        print(json.dumps(refusal), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
