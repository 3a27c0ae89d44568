"""The runs of two reductions."""

from benchmarks import reductions


def test_both_reductions_make_each_order_once(capsys):
    assert reductions.main(["last_zero"]) == 0
    name, *figures = capsys.readouterr().out.splitlines()[-1].strip("| ").split(" | ")
    runs, in_vain, _, fewer, none, _ = figures
    assert name == "last_zero" and none == "0"
    assert int(runs) - int(in_vain) == int(fewer) == 14


def test_an_unknown_program_is_refused_by_name(capsys):
    assert reductions.main(["last_one"]) == 2
    assert "last_one" in capsys.readouterr().err


def test_a_search_that_is_too_long_is_no_row(monkeypatch, capsys):
    monkeypatch.setattr(reductions, "MOST", 5)
    assert reductions.main(["last_zero"]) == 2
    assert "more than 5 runs" in capsys.readouterr().err
