"""Which packages a source imports, by its text and by running it."""

import ast
import subprocess
import sys

from tests.model.artefacts import ROOT

PROBE = """
import sys
sys.path.insert(0, {root!r})
before = set(sys.modules)
exec({code!r})
new = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(" ".join(sorted(new - set(sys.stdlib_module_names))))
"""


def imported(code: str) -> str:
    """The packages besides the standard library that an interpreter imports for ``code``."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROBE.format(root=str(ROOT), code=code)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def imports(text: str) -> set[str]:
    """The packages that a source imports, but for its own."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").partition(".")[0])
    return found
