"""The rest of a build beside `pyproject.toml`: the runtime in the wheel, and the page of an index.

The wheel has the package `wheelproof_runtime` in a folder of its own, BUNDLED, and a file of paths
that puts this folder behind all installed packages. So the distribution `wheelproof-runtime` goes
before it, and no file belongs to both.

The page of an index has README.md. Its links lead into the repository, whose web address is that of
the environment (WHEELPROOF_REPOSITORY, see `tools/dist`) or of the source distribution. Where there
is none, their texts are left.
"""

import os
import re
import shutil
from email import message_from_string
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
RUNTIME = Path("runtime", "wheelproof_runtime")
BUNDLED = "wheelproof_bundled"
LINK = re.compile(r"\[([^\[\]]+)\]\((?!\w+:|#)([^()\s]+)\)")
REFERENCE = re.compile(r"^\[([^\[\]]+)\]: (?!\w+:)(\S+)\n", re.MULTILINE)


class WithRuntime(build_py):
    """Builds the package, and the runtime beside it. An editable one has the folder `runtime`."""

    def run(self) -> None:
        """Copies the files that the links of RUNTIME lead to."""
        super().run()
        if self.editable_mode:
            return
        folder = Path(self.build_lib, BUNDLED, RUNTIME.name)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in (ROOT / RUNTIME).iterdir():
            if file.suffix in (".py", ".typed"):
                shutil.copyfile(file, folder / file.name)
        Path(self.build_lib, f"{BUNDLED}.pth").write_text(f"{BUNDLED}\n", encoding="utf-8")


def repository() -> str:
    """The web address of the files of this version, or ""."""
    if given := os.environ.get("WHEELPROOF_REPOSITORY"):
        return given.rstrip("/")
    made = ROOT / "PKG-INFO"
    if not made.is_file():
        return ""
    urls = message_from_string(made.read_text(encoding="utf-8")).get_all("Project-URL") or []
    return dict(url.split(", ", 1) for url in urls).get("Repository", "")


def page(text: str, address: str) -> str:
    """README.md with links that lead somewhere from any place."""
    if address:
        text = LINK.sub(rf"[\1]({address}/\2)", text)
        return REFERENCE.sub(rf"[\1]: {address}/\2\n", text)
    names = [name for name, _ in REFERENCE.findall(text)]
    text = LINK.sub(r"\1", REFERENCE.sub("", text))
    for name in names:
        text = text.replace(f"[{name}]", name)
    return text


if __name__ == "__main__":
    address = repository()
    setup(
        cmdclass={"build_py": WithRuntime},
        long_description=page((ROOT / "README.md").read_text(encoding="utf-8"), address),
        long_description_content_type="text/markdown",
        project_urls={"Repository": address} if address else {},
    )
