"""The metrics and the page of a watch."""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import sys
import time
from pathlib import Path

import duckdb
import pytest
import watched

pytest.importorskip("prometheus_client", reason="the extra `data` is not installed")

from prometheus_client.parser import text_string_to_metric_families

from traces.bulk import FAMILIES
from wheelproof.errors import ToolError, UsageError
from wheelproof.pipeline.watch import metrics, outcome
from wheelproof.pipeline.watch.metrics import Meter, serving

TRACES = Path(__file__).parents[1] / "trace"


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A meter after two micro-batches of recordings that conform, violate, and are late."""
    folder = tmp_path_factory.mktemp("recordings")
    shutil.copy(TRACES / "golden" / "mutant_M8.jsonl", folder)
    shutil.copy(TRACES / "kafka" / "late.jsonl.gz", folder)
    meter = Meter("a folder")
    with duckdb.connect(str(folder / "watch.duckdb"), config={"threads": 1}) as connection:
        files = sorted(folder.glob("*.jsonl*"))
        made = watched.ledger(connection, watched.pieces(files, 2, 1), FAMILIES)
        report = outcome.report(made, {})
        meter.measure(report, made, folder / "watch.duckdb", 1.5)
        meter.look("bytes", 7)
        yield meter, report, made


def values(meter):
    """(name, labels) -> value of every sample."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(meter.text().decode())
        for sample in family.samples
    }


def test_metrics_are_those_of_the_report(measured):
    meter, report, made = measured
    found = values(meter)
    name = metrics.PREFIX
    assert found[f"{name}_events_total",] == report.events > 100
    broken = {rule: row["broken"] for rule, row in report.rules.items()}
    assert {key[1]: value for key, value in found.items() if key[0] == f"{name}_violations"} == (
        broken
    )
    assert sum(broken.values()) > 0
    verdicts = [key for key in found if key[0] == f"{name}_runs"]
    assert sum(found[key] for key in verdicts) == len(report.runs) == 2
    assert found[f"{name}_lag", "bytes"] == 7
    assert found[f"{name}_last_batch",] == made.batch == 1
    assert found[f"{name}_last_batch_seconds",] == 1.5
    assert found[f"{name}_state_bytes",] > 0


def test_the_histogram_of_lateness_is_cumulative_and_whole(measured):
    meter, report, _ = measured
    name = f"{metrics.PREFIX}_lateness_milliseconds"
    buckets = [
        (float(key[1]), value) for key, value in values(meter).items() if key[0] == f"{name}_bucket"
    ]
    counts = [value for _, value in sorted(buckets)]
    assert counts == sorted(counts)
    assert counts[-1] == report.lateness["count"] > 0


def test_events_per_second_are_those_of_late(monkeypatch):
    meter, clock = Meter("a folder"), [1000.0]
    monkeypatch.setattr(metrics.time, "time", lambda: clock[0])
    for second in range(30):
        clock[0] = 1000.0 + second
        meter.report.events = 50 * min(second, 12)
        meter.look("records", 0)
    assert meter.rate() == 0.0
    assert max(point[1] for point in meter.history) == 600
    meter.history.clear()
    for second in range(12):
        clock[0] = 2000.0 + second
        meter.report.events = 50 * second
        meter.look("records", 0)
    assert meter.rate() == 50.0


def answer(port, path, host=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{port}"})
    response = connection.getresponse()
    return response.status, response.headers, response.read()


def test_the_server_is_on_this_machine_alone_and_answers_three_paths(capsys):
    with serving("kafka://h:1/t", 0) as meter:
        port = int(re.search(r"127\.0\.0\.1:(\d+)", capsys.readouterr().err)[1])
        assert answer(port, "/")[0] == 200
        status, headers, text = answer(port, "/metrics")
        assert status == 200 and headers["Content-Type"].startswith("text/plain")
        assert b"wheelproof_watch_events_total 0.0" in text
        assert b'"source": "kafka://h:1/t"' in answer(port, "/watch.json")[2]
        assert answer(port, "/else")[0] == 404
        assert answer(port, "/", host=f"elsewhere.example:{port}")[0] == 403
        with pytest.raises(ToolError, match=f"Port {port}"), serving("again", port):
            pass
        assert meter.lines == {}
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_number_that_is_no_port_is_refused():
    with pytest.raises(UsageError, match="70000"), serving("a folder", 70_000):
        pass
    with serving("a folder", None) as none:
        assert none is None


def test_without_the_library_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(ToolError, match="prometheus_client") as raised, serving("a folder", 0):
        pass
    assert "setup-data" in str(raised.value)


def test_the_page_names_nothing_outside(measured):
    """Each name that the page takes from the numbers is there, and it loads nothing else."""
    page = (Path(metrics.__file__).parent / "page.html").read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "src=" not in page and "@import" not in page and "url(" not in page
    document = measured[0].document()
    assert {*re.findall(r"given\.([a-z]+)", page)} - {"classes", "count"} <= document.keys()
    point = document["history"][0]
    assert len(point) == 4 and abs(point[0] - time.time()) < 3600
