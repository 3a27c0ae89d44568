"""Two runs in one folder: the second one reports what is new."""

import re

from typer.testing import CliRunner

from tests.wheelproof.thing import TOML
from wheelproof import doctor
from wheelproof.checks import verify
from wheelproof.cli import app
from wheelproof.verdict import judge


def row(verdict, layer="bisimulation"):
    return judge("thing", layer, "two", expected="exhaustive", verdict=verdict)


def test_a_run_reports_what_is_new_since_the_last_one(tmp_path, monkeypatch):
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "Thing.toml").write_text(TOML)
    (tmp_path / "spec" / "Thing.tla").write_text("---- MODULE Thing ----\n====\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "versions", lambda: {"wheelproof": "0"})

    def printed(*rows, options=()):
        monkeypatch.setattr(verify, "run", lambda _: list(rows))
        return CliRunner().invoke(app, ["verify", *options]).stdout

    def news(text):
        return re.findall(r"^new since .* UTC: (.*)$", text, re.MULTILINE)

    good = row("exhaustive", "tlc")
    assert news(printed(good)) == []
    assert news(printed(good)) == ["nothing"]
    assert news(printed(good, row("violated"))) == ["1 not in order"]
    again = printed(row("exhaustive"))
    assert news(again) == ["1 in order again, 1 gone"] and " layer " not in again
    assert " layer " in printed(row("exhaustive"), options=["--verbose"])
