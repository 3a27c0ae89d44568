"""A page that builds an example: its listings, what commands print, and the tool beside it."""

import os
import re
import tempfile
from pathlib import Path

from tests import forked

ROOT = Path(__file__).resolve().parents[2]
KINDS = (".py", ".tla", ".toml", ".md", ".json", ".java")


def listings(page: str) -> dict[str, str]:
    """File -> text, for each listing below a heading that names a file."""
    found = re.findall(
        r"^###? (?:\d\. )?`([^`]+)`.*?^(````?)\w+\n(.*?)^\2$", page, re.MULTILINE | re.DOTALL
    )
    return {name: text for name, _, text in found}


def printed_by(page: str, command: str) -> str:
    """What the page shows below a command."""
    shown = re.search(rf"^\$ {re.escape(command)}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert shown, f"the page has no command {command}"
    return shown[1].rstrip("\n")


ONE_PROCESS = ("--jobs", "1")
"""For a verification of a few small checks: worker processes would cost more than the checks."""


def wheelproof(folder: Path, *arguments: str) -> tuple[int, str]:
    """(exit code, what was printed) of one command in a folder."""
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
    }
    with tempfile.TemporaryDirectory() as elsewhere:
        printed = Path(elsewhere) / "printed"
        code = forked.run(arguments, folder, environment, printed)
        lines = printed.read_text(encoding="utf-8").splitlines()
    return code, "\n".join(line.rstrip() for line in lines)


def files(folder: Path) -> dict[str, str]:
    """File -> text of a project, without what is made in its folder build."""
    return {
        file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8")
        for file in folder.rglob("*")
        if file.is_file()
        and file.suffix in KINDS
        and file.name != "equivalents.toml"
        and "build" not in file.relative_to(folder).parts
    }


def change(file: Path, old: str, new: str) -> None:
    """Replace a text that must occur exactly once."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
