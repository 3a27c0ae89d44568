"""`python -m wheelproof.tlc`: what the set-up asks."""

from __future__ import annotations

import pytest

from wheelproof.errors import ToolError
from wheelproof.tlc import __main__, jar, java


def test_it_prints_what_is_located(capsys):
    assert __main__.main(["java"]) == 0
    assert str(java.locate().executable) in capsys.readouterr().out
    assert __main__.main(["jar"]) == 0
    assert str(jar.locate().path) in capsys.readouterr().out


@pytest.mark.parametrize("module", [java, jar])
def test_what_is_missing_has_an_exit_code_of_its_own(module, monkeypatch, capsys):
    def missing():
        raise ToolError("Nothing is there.", "Install it.")

    monkeypatch.setattr(module, "locate", missing)
    assert __main__.main([module.__name__.rpartition(".")[2]]) == ToolError.exit_code == 4
    printed = capsys.readouterr()
    assert "Nothing is there." in printed.err and printed.out == ""


@pytest.mark.parametrize("arguments", [[], ["tlc"], ["java", "jar"]])
def test_another_argument_is_a_usage_error(arguments, capsys):
    assert __main__.main(arguments) == 2
    assert "takes one argument: java or jar" in capsys.readouterr().err
