"""A watch in numbers: metrics in Prometheus' text format, and the page that follows them.

Both are served on this machine alone, from a copy of the numbers: no reader waits for the ledger.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from wheelproof.errors import ToolError, UsageError, installation
from wheelproof.pipeline import command
from wheelproof.pipeline.report import Report
from wheelproof.pipeline.watch import outcome
from wheelproof.pipeline.watch.ledger import Ledger

if TYPE_CHECKING:
    from prometheus_client.core import Metric

HOST = "127.0.0.1"
PREFIX = "wheelproof_watch"
LISTED = 50
"""Violations that the page lists, the first ones of the report."""

HISTORY = 300
"""Points of the page's curves, of which a second has one at most."""

WINDOW_SECONDS = 10
"""Time over which events per second are counted."""

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:"
)
"""The page loads nothing but its numbers."""


class Meter:
    """The numbers of a watch. ``lines``: of each recording, how many were judged."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines: dict[str, int] = {}
        self.lock = threading.Lock()
        self.report = Report(events=0)
        self.violations: list[str] = []
        self.batch, self.seconds = -1, 0.0
        self.state = {"bytes": 0, "events": 0, "keys": 0}
        self.unit = ""
        self.backlog: int | None = None
        self.history: deque[tuple[float, int, int | None, int]] = deque(maxlen=HISTORY)

    def measure(self, report: Report, ledger: Ledger, file: Path, seconds: float) -> None:
        """Take the numbers after a micro-batch, which took so many seconds."""
        names = outcome.ids(report.violations)
        texts = [
            f"{command.line(violation)} [{name}]"
            for name, violation in zip(names[:LISTED], report.violations)
        ]
        events, keys = ledger.sizes()
        sizes = [path.stat().st_size for path in file.parent.glob(f"{file.name}*")]
        with self.lock:
            self.lines = ledger.lines()
            self.report, self.violations = report, texts
            self.batch, self.seconds = ledger.batch, seconds
            self.state = {"bytes": sum(sizes), "events": events, "keys": keys}

    def look(self, unit: str, backlog: int | None) -> None:
        """Take the lag, and a point of the curves."""
        with self.lock:
            self.unit, self.backlog = unit, backlog
            now = time.time()
            if not self.history or now - self.history[-1][0] >= 1:
                breaches = sum(rule["broken"] for rule in self.report.rules.values())
                self.history.append((now, self.report.events, backlog, breaches))

    def rate(self) -> float:
        """Events per second of late."""
        now = time.time()
        recent = [point for point in self.history if now - point[0] <= WINDOW_SECONDS]
        if len(recent) < 2:
            return 0.0
        return (recent[-1][1] - recent[0][1]) / (recent[-1][0] - recent[0][0])

    def document(self) -> dict[str, object]:
        """The numbers as the page takes them."""
        with self.lock:
            verdicts = Counter(run["verdict"] for run in self.report.runs)
            return {
                "source": self.source,
                "events": self.report.events,
                "rate": round(self.rate(), 1),
                "lag": {"unit": self.unit, "left": self.backlog},
                "state": self.state,
                "batch": {"number": self.batch, "seconds": round(self.seconds, 3)},
                "verdicts": dict(sorted(verdicts.items())),
                "rules": {
                    name: rule["broken"]
                    for name, rule in self.report.rules.items()
                    if rule["broken"]
                },
                "quarantined": self.report.quarantined,
                "violations": self.violations,
                "lateness": self.report.lateness,
                "history": list(self.history),
            }

    def collect(self) -> Iterator[Metric]:
        """The metrics, as prometheus_client asks for them."""
        from prometheus_client.core import (
            CounterMetricFamily,
            GaugeMetricFamily,
            HistogramMetricFamily,
        )

        with self.lock:
            report, lateness = self.report, self.report.lateness
            yield CounterMetricFamily(
                f"{PREFIX}_events", "Events that were judged.", value=report.events
            )
            gauges = {
                "events_per_second": (f"Events a second, over {WINDOW_SECONDS} s.", self.rate()),
                "last_batch": ("Number of the last micro-batch.", self.batch),
                "last_batch_seconds": ("Time that the last micro-batch took.", self.seconds),
                "quarantined_lines": ("Lines that are no events.", report.quarantined),
                "state_bytes": ("Size of watch.duckdb.", self.state["bytes"]),
                "state_events": ("Events of runs that go on.", self.state["events"]),
                "state_keys": ("Keys of runs that go on.", self.state["keys"]),
            }
            for name, (says, value) in gauges.items():
                yield GaugeMetricFamily(f"{PREFIX}_{name}", says, value=value)
            lag = GaugeMetricFamily(
                f"{PREFIX}_lag",
                "Records or bytes that are there and were not judged yet.",
                labels=["unit"],
            )
            if self.backlog is not None:
                lag.add_metric([self.unit], self.backlog)
            yield lag
            violations = GaugeMetricFamily(
                f"{PREFIX}_violations", "Violations of each rule.", labels=["rule"]
            )
            for name, rule in report.rules.items():
                violations.add_metric([name], rule["broken"])
            yield violations
            runs = GaugeMetricFamily(f"{PREFIX}_runs", "Runs by verdict.", labels=["verdict"])
            for verdict, count in sorted(Counter(run["verdict"] for run in report.runs).items()):
                runs.add_metric([verdict], count)
            yield runs
        buckets: list[tuple[str, float]] = []
        total = 0
        for interval in lateness.get("classes", []):
            total += interval["count"]
            if interval["below_ms"] is not None:
                buckets.append((str(float(interval["below_ms"])), total))
        mean = lateness.get("mean_ms", 0.0)
        yield HistogramMetricFamily(
            f"{PREFIX}_lateness_milliseconds",
            "Time from the deadline of an entry to its hand-over.",
            buckets=[*buckets, ("+Inf", total)],
            sum_value=mean * total,
        )

    def text(self) -> bytes:
        """The metrics in Prometheus' text format."""
        from prometheus_client import CollectorRegistry, generate_latest

        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        return generate_latest(registry)


def _handler(meter: Meter) -> type[BaseHTTPRequestHandler]:
    """The answers for a meter."""
    from prometheus_client import CONTENT_TYPE_LATEST

    page = resources.files("wheelproof.pipeline.watch").joinpath("page.html").read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host = self.headers.get("Host", "").rpartition(":")[0]
            answers: dict[str, tuple[str, Callable[[], bytes]]] = {
                "/": ("text/html; charset=utf-8", lambda: page),
                "/metrics": (CONTENT_TYPE_LATEST, meter.text),
                "/watch.json": (
                    "application/json",
                    lambda: json.dumps(meter.document()).encode(),
                ),
            }
            answer = answers.get(self.path.partition("?")[0])
            if host not in (HOST, "localhost"):  # a page elsewhere whose name leads to this machine
                self.send_error(403)
            elif answer is None:
                self.send_error(404)
            else:
                kind, content = answer[0], answer[1]()
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Content-Security-Policy", POLICY)
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing is printed for a request."""

    return Handler


@contextmanager
def serving(source: str, port: int | None) -> Iterator[Meter | None]:
    """Serve the numbers of a watch until the end of the block; None without a port.

    Raises ToolError where the port is taken or the library is absent.
    """
    if port is None:
        yield None
        return
    if not 0 <= port < 1 << 16:
        raise UsageError(f"{port} is no port.", "Give a number up to 65535; 0 takes a free port.")
    meter = Meter(source)
    try:
        handler = _handler(meter)
    except ImportError as error:
        raise ToolError(
            f"Metrics need prometheus_client, which is not installed ({error}).",
            installation("data", "setup-data"),
        ) from error
    try:
        server = ThreadingHTTPServer((HOST, port), handler)
    except OSError as error:
        raise ToolError(
            f"Port {port} of {HOST} cannot be served ({error.strerror}).",
            "End what has it, or give another one; 0 takes a free port.",
        ) from error
    import sys

    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    print(f"page and metrics: http://{HOST}:{server.server_port}/", file=sys.stderr, flush=True)
    try:
        yield meter
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
