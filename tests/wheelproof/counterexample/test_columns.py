"""The picture of a counterexample: it has every step, fits the terminal, and cannot break."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from wheelproof.counterexample import columns
from wheelproof.counterexample.document import Counterexample, Step
from wheelproof.counterexample.folding import Fold, folded
from wheelproof.counterexample.numbering import count
from wheelproof.counterexample.source import source_text


def drawn(trace, width=120, root=Path("/nowhere"), **options):
    return [line.plain for line in columns.render(trace, width, root, **options)]


def test_wide_columns(trace, subject_folder):
    assert drawn(trace, root=subject_folder, file="build/counterexamples/it's.json") == [
        "Safe is violated: 2 steps, 2 threads, 1 context switch",
        "thing / mutant / M1, scenario two, without M1",
        "never moves: idle",
        "",
        "initially",
        "  inside = {}",
        "  1 variable that never changes: --full",
        "",
        "   #  a        b        source and changes",
        "   1  A1 lock  │        impl/thing.py:2  with lock:",
        "      │        │        inside: {} → {a}",
        "      ╌ ╌ ╌ ╌ ╌ ╌ ╌ ╌ ╌",
        "   2  │        A1 lock  impl/thing.py:2  with lock:",
        "      │        │        inside: {a} → {a, b}",
        "",
        "Safe is violated after step 2.",
        "The mutant's file says:",
        "both are inside",
        "",
        """replay: wheelproof replay 'build/counterexamples/it'"'"'s.json'""",
    ]


def test_narrow_entries(trace, subject_folder):
    lines = drawn(trace, 80, subject_folder)
    assert "   1  [a] A1 lock  impl/thing.py:2  with lock:" in lines
    assert "        inside: {a} → {a, b}" in lines


@pytest.mark.parametrize("width", [80, 120])
def test_an_access_of_a_race_stands_at_its_step(trace, width):
    first = replace(trace.steps[0], access="race on X.y, first access: write at impl/x.py:1 by a")
    lines = drawn(replace(trace, steps=(first, *trace.steps[1:])), width)
    (place,) = [number for number, line in enumerate(lines) if "first access: write" in line]
    numbers = [line.split()[0] for line in lines[:place] if line[:5].strip().isdigit()]
    assert numbers == ["1"]
    assert not any("access" in line for line in drawn(trace, width))


@pytest.mark.parametrize(("width", "wide"), [(99, False), (100, True)])
def test_columns_for_threads_from_a_width_of_100_on(trace, width, wide):
    assert any("source and changes" in line for line in drawn(trace, width)) == wide


def test_too_many_threads_for_columns_become_entries(trace):
    names = tuple(f"thread{number}" for number in range(12))
    many = replace(trace, threads=names, steps=tuple(Step(name, "A1", "lock") for name in names))
    assert "   3  [thread2] A1 lock" in drawn(many)


def test_a_lasso_is_marked(trace):
    steps = tuple(Step("a", f"A{number}", "read") for number in range(1, 5))
    lines = drawn(replace(trace, steps=steps, loop=1))
    assert [line[0] for line in lines if " read" in line] == [" ", "╭", "│", "╰"]
    assert "Safe is violated: steps 2 to 4 repeat for ever." in lines
    assert "Safe is violated: step 4 repeats for ever." in drawn(
        replace(trace, steps=steps, loop=3)
    )
    assert "Safe is violated: the run stays in this state for ever." in drawn(
        replace(trace, steps=steps, loop=4)
    )


def test_repeated_blocks_are_folded_unless_all_is_wanted(trace):
    spin = (Step("a", "A1", "try"), Step("a", "A2", "read"))
    long = replace(trace, steps=spin * 20 + (Step("b", "A3", "lock"),))
    lines = drawn(long)
    assert "      … the last 2 steps repeated 19 times more: steps 3 to 40: --full" in lines
    assert sum("A1 try" in line for line in lines) == 1 and any("A3 lock" in line for line in lines)
    assert sum("A1 try" in line for line in drawn(long, full=True)) == 20


QUIET = Step("idle", "T0", "silent")


def test_silent_steps_without_a_change_are_left_out_and_have_no_number(trace):
    first, second = trace.steps
    telling = Step("idle", "T1", "silent", None, {"other": ("0", "1")})
    lines = drawn(replace(trace, steps=(QUIET, first, QUIET, telling, second, QUIET)))
    assert "Safe is violated: 2 steps, 2 threads, 1 context switch" in lines
    assert "3 silent steps without a change: --full" in lines
    assert not any("T0 silent" in line for line in lines)
    assert sum("╌" in line for line in lines) == 1
    assert [line.split()[0] for line in lines if "A1 lock" in line] == ["1", "2"]
    (reported,) = [line for line in lines if "T1 silent" in line]
    assert reported.split() == ["│", "│", "T1", "silent", "other:", "0", "→", "1"]
    assert "Safe is violated after step 2." in lines


def test_full_shows_the_silent_steps_too(trace):
    first, second = trace.steps
    lines = drawn(replace(trace, steps=(QUIET, first, QUIET, second)), full=True)
    assert sum("T0 silent" in line for line in lines) == 2
    assert not any("without a change" in line for line in lines)
    assert [line.split()[0] for line in lines if "A1 lock" in line] == ["1", "2"]


def test_a_loop_has_the_numbers_of_its_steps(trace):
    steps = [Step("a", f"A{number}", "read") for number in range(1, 4)]
    looping = (steps[0], QUIET, steps[1], QUIET, steps[2])
    for loop, end in (
        (1, "steps 2 to 3 repeat for ever."),
        (3, "step 3 repeats for ever."),
        (5, "the run stays in this state for ever."),
    ):
        lines = drawn(replace(trace, steps=looping, loop=loop))
        assert f"Safe is violated: {end}" in lines
    lines = drawn(replace(trace, steps=looping, loop=1))
    assert [line[0] for line in lines if " read" in line] == [" ", "╭", "╰"]
    silent = replace(trace, steps=(*looping, QUIET), loop=5)
    assert "Safe is violated: silent steps repeat for ever after step 3." in drawn(silent)


def test_null_is_none(trace):
    none = {"inside": ('"null"', '<<"null", "nullable">>')}
    changed = replace(trace.steps[0], changes=none)
    text = "\n".join(drawn(replace(trace, initial={"inside": '"null"'}, steps=(changed,))))
    assert "inside = None" in text and 'inside: None → <<None, "nullable">>' in text


def test_the_initial_state_alone_can_violate(trace):
    assert "Safe is violated in the initial state." in drawn(replace(trace, steps=(), loop=None))


def test_a_mutants_steps_are_shown_with_its_own_lines(trace, subject_folder):
    decision = subject_folder / "mutants" / "thing" / "M1.md"
    lines = "-with lock:  # lock A1, unlock A2\n+with lock or None:  # lock A1, unlock A2"
    decision.write_text(decision.read_text().replace("-    pass\n+    return", lines))
    shown = "\n".join(drawn(trace, root=subject_folder))
    assert "with lock or None:" in shown and "with lock:" not in shown
    whole = "\n".join(drawn(replace(trace, impl_without=""), root=subject_folder))
    assert "with lock:" in whole and "or None" not in whole
    decision.unlink()
    assert "with lock:" in "\n".join(drawn(trace, root=subject_folder))


def test_full_shows_everything(trace):
    long = replace(trace, initial={"inside": "x" * 500, "other": "0"})
    assert "".join(drawn(long)).count("x") < 200
    text = "\n".join(drawn(long, full=True))
    assert text.count("x") >= 500 and "other = 0" in text and "--full" not in text


def test_hostile_text_is_neither_markup_nor_an_escape(trace):
    hostile = "[red]\x1b[31m\u202e\n"
    renamed = replace(
        trace,
        threads=(hostile,),
        property=hostile,
        explanation=hostile,
        steps=(Step(hostile, hostile, hostile, None, {hostile: (hostile, hostile)}),),
    )
    text = "\n".join(drawn(renamed))
    assert "\x1b" not in text and "\u202e" not in text and "[red]\\x1b" in text


words = st.text(st.sampled_from("ab[]/ 表\t\x1b"), max_size=30)
steps = st.builds(
    Step,
    st.sampled_from(["a", "thread b", "表"]),
    words,
    words,
    st.just(None) | st.just("impl/thing.py:2"),
    st.dictionaries(words, st.tuples(words, words), max_size=2),
)


@given(st.lists(steps, max_size=30), st.integers(40, 200), st.booleans(), st.booleans())
def test_nothing_is_wider_than_the_terminal_and_every_step_is_there(some, width, full, plain):
    trace = Counterexample(
        "m", "tlc", "n", "s", "P", "why", ("a", "thread b", "表"), {"a": "1"}, tuple(some)
    )
    glyphs = columns.ASCII if plain else columns.UNICODE
    lines = drawn(trace, width, full=full, glyphs=glyphs)
    assert all(cell_len(line) <= width for line in lines), [
        line for line in lines if cell_len(line) > width
    ]
    numbers = {
        line[2:4].strip() for line in lines if line[:1] == " " and line[2:4].strip().isdigit()
    }
    if full:
        assert numbers >= {str(number) for number in range(1, count(some) + 1)}


@given(st.lists(st.sampled_from("ab"), max_size=40), st.data())
def test_folding_covers_every_step_once_and_hides_only_equal_ones(letters, data):
    some = [Step("t", letter, "") for letter in letters]
    loop = data.draw(st.none() | st.integers(0, len(some)))
    covered = []
    for item in folded(some, loop):
        if isinstance(item, Fold):
            hidden = list(range(item.first, item.first + item.period * item.times))
            assert len(hidden) >= 4 and loop not in hidden and len(some) - 1 not in hidden
            assert all(some[index] == some[index - item.period] for index in hidden)
            covered += hidden
        else:
            covered.append(item)
    assert covered == list(range(len(some)))


def test_steps_that_differ_in_a_value_are_not_folded():
    some = [
        Step("t", "A1", "read", None, {"n": (str(number), str(number + 1))}) for number in range(20)
    ]
    assert folded(some) == list(range(20))


@pytest.mark.parametrize(
    ("source", "label", "text"),
    [
        ("impl/thing.py:2", "A1", "with lock:"),
        ("impl/thing.py:2", "A2", "with lock:"),
        ("impl/thing.py:2", "A", "(the file has changed since)"),
        ("impl/thing.py:3", "A1", "(the file has changed since)"),
        ("impl/thing.py:99", "A1", ""),
        ("impl/absent.py:1", "A1", ""),
        ("../secret.py:1", "A1", ""),
        ("/etc/passwd:1", "root", ""),
    ],
)
def test_source_text_is_shown_only_where_it_is_the_line_that_ran(
    subject_folder, source, label, text
):
    (subject_folder.parent / "secret.py").write_text("secret  # lock A1\n")
    assert source_text(subject_folder, source, label) == text


def test_the_text_of_a_mutants_file_is_marked_as_that(trace):
    lines = drawn(trace)
    assert lines[lines.index("both are inside") - 1] == columns.DECLARED
    other = drawn(replace(trace, layer="tlc"))
    assert "both are inside" in other and columns.DECLARED not in other, "the control"
