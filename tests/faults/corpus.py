"""Bad inputs: every file that a command reads, damaged in every way that files are.

A case is a reader (a command and the file that it reads) with a kind of damage. ``wrong`` names
what is wrong with how a command took a case.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests import forked
from tests.wheelproof.conftest import ROOT
from wheelproof.counterexample.document import Counterexample, Step
from wheelproof.errors import EXIT_CODES

HOSTILE = "pro\x1b[31mject\x07\u202e"
"""The name of a project's folder: each message that names a file has to escape it."""

MOST = 60_000
"""Characters that a command may print about one bad input."""

LINE = 17 << 20
"""Bytes of a line that is longer than any that is read."""


@dataclass(frozen=True)
class Reader:
    """A command that reads a file of the project.

    ``sound``: its exit code on the file as it should be. ``java``: it may start a JVM.
    ``content``: of the file, where only this reader has it.
    ``without``: a file that would be read in the place of this one. ``free``: kinds of damage that
    say nothing wrong here.
    """

    name: str
    file: str
    arguments: tuple[str, ...]
    sound: int = 0
    java: bool = False
    content: str = ""
    without: str = ""
    free: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        """How the name of the file ends."""
        return self.file.partition(".")[2]

    def command(self) -> list[str]:
        """The command's words, from the folder around the project."""
        words = [f"{HOSTILE}/{word}" if word == self.file else word for word in self.arguments]
        if self.arguments[0] not in ("translate", "export") and "--subject" not in words:
            words += ["--subject", HOSTILE]
        if self.arguments[0] in ("locks", "verify", "mutant", "jvm"):
            words += ["--output", f"{HOSTILE}/build"]
        return words


def _check(layer: str) -> tuple[str, ...]:
    return ("verify", "--layer", layer, "--jobs", "1", "--fresh", "--verbose")


FORMS = "kafka.jsonl", "kafka.jsonl.gz", "kafka.parquet"
READERS = [
    Reader("list: declaration", "spec/MyLock.toml", ("list",)),
    Reader("list: counts", "spec/counts.json", ("list",)),
    Reader("list: decision", "mutants/my_lock/Unlocked.md", ("list",)),
    Reader("list: events", "traces/events.toml", ("list",), free=("a long word", "many digits")),
    Reader("locks: order", "harness/locks.toml", ("locks",)),
    Reader("locks: results", "build/results.json", ("locks",), 2, without="harness/locks.toml"),
    Reader("mutant: decision", "mutants/my_lock/KeepsLock.md", ("mutant", "KeepsLock")),
    Reader("verify: harness", "harness/my_lock.py", _check("bisimulation"), java=True),
    Reader("verify: implementation", "impl/my_lock.py", _check("bisimulation"), java=True),
    Reader("verify: specification", "spec/MyLock.tla", _check("tlc"), java=True),
    Reader("translate", "spec/MyLock.tla", ("translate", "spec/MyLock.tla"), java=True),
    Reader("jvm: binding", "jvm/my_lock.toml", ("jvm",), 2, content='mechanism = "my_lock"\n'),
    *(
        Reader(f"{command[0]}: counterexample{' '.join(command[1:])}", "seen.json", made, sound)
        for command, sound in {
            ("show",): 0,
            ("replay",): 4,
            ("export", "--to", "itf"): 0,
            ("export", "--to", "pytest"): 0,
        }.items()
        for made in [(command[0], "seen.json", *command[1:])]
    ),
    *(
        Reader(f"trace {command}: {file}", file, ("trace", command, file))
        for command, file in (
            ("check", "run.jsonl"),
            ("check", "run.jsonl.gz"),
            ("replay", "run.jsonl"),
        )
    ),
    *(
        Reader(
            f"trace {' '.join(command)}: {file}",
            file,
            ("trace", command[0], file, *command[1:], "--subject", str(ROOT)),
            sound,
        )
        for command, sound, files in (
            (("check",), 0, FORMS),
            (("check", "--engine", "memory"), 0, FORMS),
            (("replay",), 0, FORMS[:1]),
            (("replay", "--model"), 3, FORMS[:1]),
            (("shrink",), 5, FORMS[:1]),
        )
        for file in files
    ),
]


@dataclass(frozen=True)
class Kind:
    """A damage. ``damage(path, content)`` puts it in the place of the sound content.

    ``says``: a pattern of a word that each message has. ``forms``: ends of names of the files that
    it is for; () for all. ``codes``: exit codes that are right.
    """

    name: str
    damage: Callable[[Path, bytes], None]
    says: str
    forms: tuple[str, ...] = ()
    codes: frozenset[int] = field(default=frozenset({2}))

    def fits(self, reader: Reader) -> bool:
        return not self.forms or reader.form in self.forms


def _folder(path: Path, _content: bytes) -> None:
    path.mkdir()


def _pipe(path: Path, _content: bytes) -> None:
    os.mkfifo(path)


def _link(target: str) -> Callable[[Path, bytes], None]:
    return lambda path, _content: path.symlink_to(target)


def _loop(path: Path, _content: bytes) -> None:
    path.symlink_to(path.name)


def _huge(path: Path, _content: bytes) -> None:
    with path.open("wb") as file:
        file.truncate(4 << 30)


def _written(change: Callable[[bytes], bytes]) -> Callable[[Path, bytes], None]:
    """A damage of the text, which is packed again where the file is packed."""

    def damage(path: Path, content: bytes) -> None:
        if path.suffix == ".gz":
            path.write_bytes(gzip.compress(change(gzip.decompress(content)), 1))
        else:
            path.write_bytes(change(content))

    return damage


def _raw(change: Callable[[bytes], bytes]) -> Callable[[Path, bytes], None]:
    return lambda path, content: path.write_bytes(change(content))


def _flipped(part: int) -> Callable[[Path, bytes], None]:
    """One byte is another one, so many per cent of the way."""

    def changed(data: bytes) -> bytes:
        place = len(data) * part // 100
        return data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]

    return _raw(changed)


def _nested(path: Path, content: bytes) -> None:
    deep = b"[" * 5_000 + b"]" * 5_000
    head = {
        "json": b'{"schema": %s}' % deep,
        "jsonl": b'{"schema": %s}\n' % deep,
        "jsonl.gz": b'{"schema": %s}\n' % deep,
        "toml": content + b"\nx = %s\n" % deep,
        "md": content.replace(b"```toml\n", b"```toml\nx = %s\n" % deep),
        "py": content + b"\nx = " + b"-" * 50_000 + b"1\n",
    }[path.name.partition(".")[2]]
    _written(lambda _: head)(path, content)


def _digits(path: Path, content: bytes) -> None:
    number = b"9" * 5_000
    head = {
        "json": b'{"schema": %s}' % number,
        "jsonl": b'{"schema": %s}\n' % number,
        "jsonl.gz": b'{"schema": %s}\n' % number,
        "toml": content + b"\nx = %s\n" % number,
        "md": content.replace(b"```toml\n", b"```toml\nx = %s\n" % number),
        "py": content + b"\nx = " + number + b"\n",
    }[path.name.partition(".")[2]]
    _written(lambda _: head)(path, content)


def _wide(path: Path, content: bytes) -> None:
    word = b"w" * 1_000_000
    head = {
        "json": b'{"schema": "%s"}' % word,
        "jsonl": b'{"schema": "%s"}\n' % word,
        "jsonl.gz": b'{"schema": "%s"}\n' % word,
        "toml": b"%s = 1\n" % word + content,
        "md": content.replace(b"```toml\n", b"```toml\n%s = 1\n" % word),
        "py": content + b"\nraise ValueError('%s')\n" % word,
    }[path.name.partition(".")[2]]
    _written(lambda _: head)(path, content)


TEXTS = ("toml", "json", "md", "py", "tla", "jsonl", "jsonl.gz")
STRUCTURED = ("toml", "json", "md", "py", "jsonl", "jsonl.gz")
WHOLE = ("toml", "json", "md", "py", "tla")
LINES = ("jsonl", "jsonl.gz")
ANY = frozenset(EXIT_CODES)

KINDS = [
    Kind("a folder", _folder, "is a folder", (), frozenset({2, 5})),
    Kind("a named pipe", _pipe, "is a named pipe"),
    Kind("a device", _link("/dev/zero"), "is a device"),
    Kind("a loop of links", _loop, "leads back to itself"),
    Kind("a link to nothing", _link("nowhere"), "No such file"),
    Kind("4 GB of zeros", _huge, "more than 64 MB", WHOLE),
    Kind("a line of 4 GB", _huge, "more than 16 MB", ("jsonl",)),
    Kind("a packed line", _written(lambda _: bytes(LINE)), "more than 16 MB", ("jsonl.gz",)),
    Kind("Latin-1", _written(lambda text: text[:1] + b"\xe9" + text[1:]), "UTF-8", TEXTS),
    Kind("UTF-16", _written(lambda text: text.decode().encode("utf-16")), "UTF-8", TEXTS),
    Kind("a byte order mark", _written(lambda text: b"\xef\xbb\xbf" + text), "mark", WHOLE),
    Kind("a NUL", _written(lambda text: text[:20] + b"\0" + text[20:]), "NUL|no JSON", TEXTS),
    Kind("noise", _written(lambda _: bytes(range(128, 256)) * 9), "UTF-8|damaged", TEXTS),
    Kind("deep nesting", _nested, "nested too deeply|too many nested|nested", STRUCTURED),
    Kind("many digits", _digits, "digits", STRUCTURED),
    Kind("a long word", _wide, r"[\d,]+ characters|\.\.\.", STRUCTURED),
    Kind("an escape", _written(lambda text: b"\x1b[31m\x07" + text), "", TEXTS, ANY),
    Kind("nothing", _raw(lambda _: b""), "", (), ANY),
    Kind("half of it", _raw(lambda data: data[: len(data) // 2]), "", (), ANY),
    Kind("noise as a file", _raw(lambda _: bytes(range(256)) * 9), "", (), ANY - {0}),
    *(
        Kind(f"a flipped byte at {part} %", _flipped(part), "", ("parquet", "jsonl.gz"), ANY)
        for part in (2, 50, 99)
    ),
]


@dataclass(frozen=True)
class Case:
    reader: Reader
    kind: Kind

    @property
    def name(self) -> str:
        return f"{self.reader.name}, {self.kind.name}"

    @property
    def codes(self) -> frozenset[int]:
        """The exit codes that are right."""
        free = self.kind.name in self.reader.free
        return self.kind.codes | ({0} if free else set())


CASES = [Case(reader, kind) for reader in READERS for kind in KINDS if kind.fits(reader)]


@dataclass(frozen=True)
class Ended:
    """How a command ended; ``code`` is None where it did not."""

    code: int | None
    out: bytes
    err: bytes


def lay_out(folder: Path, sound: Path, reader: Reader) -> None:
    """A project in ``folder`` for a reader. ``sound``: one with the files of all readers."""
    shutil.copytree(sound, folder, symlinks=True)
    if reader.content:
        (folder / reader.file).parent.mkdir(exist_ok=True)
        (folder / reader.file).write_text(reader.content)
    if reader.without:
        (folder / reader.without).unlink()


def damage(folder: Path, case: Case) -> None:
    """Damage the file of a case in a project."""
    path = folder / case.reader.file
    content = path.read_bytes()
    path.unlink()
    case.kind.damage(path, content)


def run(
    arguments: Sequence[str],
    folder: Path,
    seconds: float,
    before: Callable[[], None] = forked.nothing,
) -> Ended:
    """Run a command in a folder, which gets what it prints."""
    out, err = folder / "out", folder / "err"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    code: int | None
    try:
        code = forked.run(arguments, folder, environment, out, err, seconds, before)
    except TimeoutError:
        code = None
    return Ended(code, out.read_bytes(), err.read_bytes())


CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
DEFECTS = ("Traceback", "a defect of Wheelproof", "TOOL FAILED")


def wrong(case: Case, ended: Ended) -> list[str]:
    """What is wrong with how a command took a bad input: names, none where it is in order."""
    if ended.code is None:
        return ["hangs"]
    printed = (ended.out + ended.err).decode(errors="replace")
    found = [word for word in DEFECTS if word in printed]
    if ended.code not in EXIT_CODES:
        found.append("no exit code of the documented ones")
    elif ended.code not in case.codes:
        found.append(f"exit code {ended.code}")
    if CONTROL.search(printed):
        found.append("control character")
    if len(printed) > MOST:
        found.append("too long")
    if ended.code == 2:
        name = Path(case.reader.file).name
        lines = [line for line in printed.splitlines() if name in line or not case.kind.says]
        if not lines:
            found.append("no place")
        elif not any(re.search(r"[.;] [A-Z]", line) for line in lines):
            found.append("no remedy")
        elif not any(re.search(case.kind.says, line) for line in lines):
            found.append("not the word")
    return found


SEEN = Counterexample(
    "my_lock",
    "mutant",
    "Unlocked",
    "two_adders",
    "NothingLost",
    "an amount is lost",
    ("a", "b"),
    {"value": "0", "owner": "null"},
    (Step("a", "A2", "read", "impl/my_lock.py:9", {"value": ("0", "1")}),),
    model_without="Unlocked",
    impl_without="Unlocked",
)
