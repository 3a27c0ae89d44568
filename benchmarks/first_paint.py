"""The time to the first paint of a page in Chromium: ``python -m benchmarks.first_paint FILE``.

It prints the bytes of the page, those of its first view, and the milliseconds from the navigation
to the first paint with content, each in a browser that has just started.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PAINT = """new Promise((done) => new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.name === "first-contentful-paint")
    done(entry.startTime);
}).observe({ type: "paint", buffered: true }))"""
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe")
SECONDS = 120
START = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for number, end in enumerate(ends, 3):
    os.dup2(end, number)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""It gives the ends of the pipes the numbers 3 and 4, which the browser expects."""


class Browser:
    """A Chromium that is driven through a pipe, by its DevTools protocol."""

    def __init__(self, program: str, profile: Path) -> None:
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        options = [*OPTIONS, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, str(commands), str(answers), program, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(commands, answers),
        )
        os.close(commands)
        os.close(answers)
        self._rest = b""
        self._number = 0

    def call(self, method: str, session: str = "", **parameters: object) -> dict[str, object]:
        """The result of a method. Events are passed over."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._rest:
                part = os.read(self._answers, 1 << 16)
                if not part:
                    raise SystemExit("The browser has ended.")
                self._rest += part
            text, _, self._rest = self._rest.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") == self._number:
                result: dict[str, object] = answer["result"]
                return result

    def close(self) -> None:
        """End the browser."""
        self._process.kill()
        self._process.wait(SECONDS)
        os.close(self._commands)
        os.close(self._answers)


def first_paint(program: str, page: Path) -> float:
    """Milliseconds from the navigation to the first paint with content."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, Path(profile))
        try:
            target = browser.call("Target.createTarget", url="about:blank")["targetId"]
            session = str(
                browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            )
            browser.call("Page.navigate", session, url=page.resolve().as_uri())
            answer = browser.call(
                "Runtime.evaluate", session, expression=PAINT, awaitPromise=True, returnByValue=True
            )
        finally:
            browser.close()
    result = answer["result"]
    assert isinstance(result, dict)
    return float(result["value"])


def main() -> int:
    """Print the figures of a page."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        print(f"NOT RUN: no Chromium on PATH, by the names {', '.join(NAMES)}", file=sys.stderr)
        return 5
    text = options.page.read_text(encoding="utf-8")
    first = re.search(r"</main>", text)
    times = [first_paint(program, options.page) for _ in range(options.runs)]
    print(f"{len(text.encode()):,} bytes, {first.end() if first else 0:,} up to the first view")
    print(
        f"first paint after {statistics.median(times):.0f} ms "
        f"({min(times):.0f} to {max(times):.0f} in {len(times)} runs)"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
