"""The benchmark of the first paint drives a real Chromium, and says where there is none."""

import re
import sys

from benchmarks import first_paint
from tests.wheelproof.report.page.test_orders import with_chromium


def printed(page, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["first_paint", str(page), "--runs", "1"])
    code = first_paint.main()
    return code, capsys.readouterr()


@with_chromium
def test_it_prints_bytes_and_a_time(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.html"
    page.write_text("<!DOCTYPE html><main>text</main><script>1</script>")
    code, shown = printed(page, monkeypatch, capsys)
    assert code == 0 and shown.out.startswith("50 bytes, 32 up to the first view\n")
    assert re.search(r"first paint after \d+ ms \(\d+ to \d+ in 1 runs\)", shown.out)


def test_without_a_browser_it_was_not_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, shown = printed(tmp_path / "page.html", monkeypatch, capsys)
    assert code == 5 and "NOT RUN: no Chromium on PATH" in shown.err
