"""TLC's runs in one JVM: most of a short run's time is the JVM's start and its compiler.

The JVM answers requests (``server/Server.java``), one at a time. TLC keeps state in static fields.
``server/Isolation.java`` puts all of it back after each run. A run that ends in an error ends the
JVM, and so does one that leaves it in doubt. The next run gets a new JVM.

Without a Java compiler there is no server, and each run has a JVM of its own.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import signal
import struct
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.util import Finalize
from pathlib import Path

from wheelproof import temporary
from wheelproof.errors import ToolError
from wheelproof.java import Java, packed
from wheelproof.kept import Entries, cache
from wheelproof.tlc.jar import Jar

SOURCES = Path(__file__).parent / "server"
MAIN = "wheelproof.tlc.Server"

_RELEASE = 11
_SECONDS = 120
_PATIENCE = 10.0
_OPENED = ("io", "lang", "text", "util", "util.concurrent", "util.concurrent.atomic")
_LOCKS = "util.concurrent.locks"


def _entries() -> Entries:
    return Entries(cache() / "tlc-server", ".jar")


def _entry(java: Java) -> str:
    content = hashlib.sha256(os.path.realpath(java.executable).encode())
    for source in sorted(SOURCES.glob("*.java")):
        content.update(source.read_bytes())
    return content.hexdigest()


def classes(java: Java) -> Path | None:
    """The jar of the server's classes for a Java; None where it is not there."""
    return _entries().file(_entry(java))


def make(java: Java) -> bool:
    """Compile the server if it is not compiled; whether it is now. Raises no OSError."""
    if classes(java) is not None:
        return True
    compiler = Path(os.path.realpath(java.executable)).with_name("javac")
    if not compiler.is_file():
        return False
    with (
        suppress(OSError, subprocess.SubprocessError),
        temporary.folder("server") as scratch,
    ):
        folder = scratch / "classes"
        process = subprocess.run(
            [
                str(compiler),
                *("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-nowarn", "-proc:none"),
                *("--release", str(_RELEASE), "-d", str(folder)),
                *map(str, sorted(SOURCES.glob("*.java"))),
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
        )
        if process.returncode == 0:
            return _entries().keep_file(_entry(java), packed(folder)) is not None
    return False


class Server:
    """One JVM, and the token by which the end of a run is known."""

    def __init__(
        self, java: Java, jar: Jar, classes: Path, heap_mb: int, options: Sequence[str]
    ) -> None:
        self.made_for = _key(java, jar, heap_mb)
        self.token = secrets.token_hex(16).encode()
        self.scratch = temporary.make("tlc")
        exports = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in (*_OPENED, _LOCKS)]
        try:
            self.process = subprocess.Popen(
                [
                    str(java.executable),
                    *options,
                    f"-Xmx{heap_mb}m",
                    *exports,
                    f"-Djava.io.tmpdir={self.scratch}",
                    *("-cp", str(classes), MAIN, self.token.decode(), str(jar.path)),
                ],
                start_new_session=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            temporary.remove(self.scratch)
            raise ToolError(f"{java.executable} cannot be started ({error.strerror}).") from error

    def kill(self) -> None:
        if self.process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> None:
        """End the JVM, by force if it does not end by itself, and remove its files."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        try:
            self.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.wait()
        temporary.remove(self.scratch)


class Turn:
    """One run of TLC by a server. It is used as a child process of its own would be."""

    def __init__(self, server: Server, arguments: Sequence[str]) -> None:
        self.timed_out = False
        self.status: int | None = None
        self._server = server
        self._ending = threading.RLock()  # a handler of signals may kill within `lines`
        texts = [argument.encode() for argument in arguments]
        request = struct.pack(">i", len(texts)) + b"".join(
            struct.pack(">H", len(text)) + text for text in texts
        )
        assert server.process.stdin is not None
        # A server that has ended has no answer either, and its exit code shows why.
        with suppress(BrokenPipeError):
            server.process.stdin.write(request)
            server.process.stdin.flush()

    def lines(self) -> Iterator[bytes]:
        """TLC's output, up to its end or the server's."""
        assert self._server.process.stdout is not None
        for line in self._server.process.stdout:
            if line.startswith(self._server.token):
                with self._ending:
                    self.status = int(line.split()[1])
                return
            yield line

    def kill(self) -> None:
        """End the server, unless the run has ended: another one may be under way."""
        with self._ending:
            if self.status is None:
                self._server.kill()

    def expire(self) -> None:
        self.timed_out = True
        self.kill()

    def finish(self) -> int:
        """Wait for the end of the run; TLC's exit code, or that of a server that ended."""
        try:
            if self.status is None:
                _forget()
                self.status = self._server.process.wait()
            return self.status
        finally:
            _busy.release()


_busy = threading.Lock()
_servers: list[tuple[Server, Finalize[None]]] = []


def turn(
    java: Java, jar: Jar, heap_mb: int, options: Sequence[str], arguments: Sequence[str]
) -> Turn | None:
    """Begin a run in this process's server; None where it is busy or cannot be had.

    ``options``: the JVM's. ``finish`` has to be called in the end.
    """
    if (folder := classes(java)) is None or not _busy.acquire(blocking=False):
        return None
    try:
        if _servers and (
            _servers[0][0].made_for != _key(java, jar, heap_mb)
            or _servers[0][0].process.poll() is not None
        ):
            _forget()
        if not _servers:
            server = Server(java, jar, folder, heap_mb, options)
            _servers.append((server, Finalize(None, server.end, exitpriority=10)))
        return Turn(_servers[0][0], arguments)
    except BaseException:
        _busy.release()
        raise


def end() -> None:
    """End this process's server, which has no run under way."""
    if _servers:
        _forget()


def _forget() -> None:
    _server, finalize = _servers.pop()
    finalize()


def _key(java: Java, jar: Jar, heap_mb: int) -> tuple[object, ...]:
    return os.getpid(), java.executable, jar.path, heap_mb
