"""Programs that a test writes into files, as modules of a package are."""

import importlib
import sys
import textwrap

from wheelproof.plain.exploration import Explorer

RUN = """
import threading
def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""

ONCE = """
import sys
if hasattr(sys, "loaded_once"):
    raise RuntimeError("loaded before")
sys.loaded_once = True
"""


class Written:
    """Writes modules into a folder of the module path, and explores one of them."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        self.before = set(sys.modules)
        monkeypatch.syspath_prepend(str(folder))
        self.module("running", RUN)

    def module(self, name, text):
        file = self.folder.joinpath(*name.split(".")).with_suffix(".py")
        file.parent.mkdir(exist_ok=True)
        file.write_text(textwrap.dedent(text))

    def package(self, name, text):
        self.module(f"{name}.__init__", text)

    def once(self, name, text):
        """A module that cannot be loaded a second time."""
        self.module(name, ONCE + textwrap.dedent(text))

    def explorer(self, text, into=()):
        self.module("written", "from running import run\n" + textwrap.dedent(text))
        return Explorer(importlib.import_module("written").program, into)

    def explored(self, text, into=()):
        return self.explorer(text, into).explore()

    def forget(self):
        """The next test writes other modules by these names."""
        for name in set(sys.modules) - self.before:
            if str(self.folder) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]
        importlib.invalidate_caches()
        vars(sys).pop("loaded_once", None)
