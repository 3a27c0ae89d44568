"""An expression has the value that TLC gives it, or none where TLC has none."""

import pytest

from tests.wheelproof.tla.conftest import written
from wheelproof.tla import export
from wheelproof.tla.environment import Environment
from wheelproof.tla.layout import Layout
from wheelproof.tla.program import Programs
from wheelproof.tla.values import Undefined, as_plain
from wheelproof.tlc import mc, process
from wheelproof.tlc.result import Outcome
from wheelproof.tlc.values import format_tla, freeze

CONSTANTS = {
    "Names": frozenset({"b", "a", "c"}),
    "Table": {"a": 1, "b": 2, "c": 3},
    "Rows": [["x", 1], ["y", 2]],
    "NULL": "null",
}

EXPRESSIONS = """
1 + 2 * 3 - 4
-7 \\div 2
-7 % 3
2^10
1..4
5..4
{3, 1, 2} \\cup {2, 5}
{1, 2, 3} \\cap {2, 3, 4}
{1, 2, 3} \\ {2}
{x \\in 1..9 : x % 2 = 0}
{x + y : x \\in 1..3, y \\in {10, 20}}
{<<x, y>> \\in (1..3) \\X (1..3) : x < y}
UNION {{1}, {2, 3}, {}}
Cardinality({"a", "b", "a"})
<<1, "two", TRUE>>
<<1, 2>> \\o <<3>>
Append(<<>>, <<>>)
Head(Tail(<<1, 2, 3>>))
SubSeq(<<1, 2, 3, 4>>, 2, 3)
SubSeq(<<1, 2>>, 2, 1)
Len(Rows)
SelectSeq(<<1, 2, 3, 4>>, LAMBDA x : x > 2)
SelectSeq(<<1, 2, 3, 4>>, Even)
[n \\in Names |-> Table[n] + 1]
[i \\in 1..3 |-> i * i]
[i \\in {} |-> i]
[i \\in 0..2 |-> i]
[x, y \\in 1..2 |-> x + y][1, 2]
[a |-> 1, b |-> [c |-> {}]]
[a |-> 1, b |-> [c |-> {}]].b.c
[Table EXCEPT !["a"] = 7, !["b"] = @ + 1]
[[a |-> 1, b |-> <<4, 5>>] EXCEPT !.b[2] = @ * 2, !.a = 9]
[Table EXCEPT !["absent"] = 7]
DOMAIN Table
DOMAIN <<7, 8>>
{Rows[i][1] : i \\in DOMAIN Rows}
"a" :> 1 @@ "b" :> 2 @@ "a" :> 3
(1 :> "x" @@ 2 :> "y") = <<"x", "y">>
IF 1 > 2 THEN "then" ELSE "else"
CASE 1 > 2 -> "one" [] 2 > 1 -> "two" [] OTHER -> "other"
CASE 1 > 2 -> "one" [] OTHER -> "other"
LET x == 3 y == x + 1 IN x * y
LET f(x) == x + 1 IN f(f(1))
LET unused == Head(<<>>) IN 5
CHOOSE x \\in 1..5 : x * x = 9
CHOOSE x \\in {5, 2, 4} : x > 1
CHOOSE n \\in Names : Table[n] = 2
Sum(4)
Factorial[5]
Both(Even, 4)
\\A x \\in 1..3 : \\E y \\in 1..3 : x = y
\\A <<x, y>> \\in {<<1, 2>>, <<2, 3>>} : y = x + 1
\\E x \\in {} : TRUE
TRUE => FALSE
FALSE <=> FALSE
~(TRUE /\\ FALSE) \\/ FALSE
3 \\in Nat /\\ -1 \\notin Nat /\\ -1 \\in Int
<<1, 2>> \\in Seq(Nat)
[a |-> 1, b |-> 2] \\in [a : Nat, b : {2}]
[a |-> 1] \\in [a : Nat, b : {2}]
Table \\in [Names -> 1..3]
Table \\in [Names -> 1..2]
{"a"} \\in SUBSET Names
<<1, "a">> \\in Nat \\X Names
TRUE \\in BOOLEAN
1..3 \\subseteq Nat
{<<1>>} \\subseteq Seq(Nat)
NULL \\in Names \\cup {NULL}
5 \\in (IF NULL = "null" THEN Int ELSE {})
<<TRUE, FALSE>> = <<TRUE, FALSE>>
{{1, 2}, {2, 1}, {3}}
<<{}, <<>>, [a |-> <<>>]>>
""".strip().splitlines()

DEFINITIONS = """
CONSTANTS Names, Table, Rows, NULL
Even(x) == x % 2 = 0
Both(Op(_), x) == <<Op(x), Op(x + 1)>>
RECURSIVE Sum(_)
Sum(n) == IF n = 0 THEN 0 ELSE n + Sum(n - 1)
Factorial[n \\in 0..9] == IF n = 0 THEN 1 ELSE n * Factorial[n - 1]
"""

WITHOUT_A_VALUE = [
    ("Head(<<>>)", "which is not in its domain"),
    ("Tail(<<>>)", "Tail has no value for the empty sequence"),
    ('Table["absent"]', '"absent", which is not in its domain'),
    ("SubSeq(<<1, 2>>, 1, 5)", "goes beyond the sequence"),
    ("CHOOSE x \\in 1..3 : x > 5", "no element of the set fits"),
    ('CHOOSE n \\in {"a", "b"} : TRUE', '{"a", "b"} all fit'),
    ("CASE 1 > 2 -> 1", "no condition holds"),
    ("5 % 0", "The divisor is 0"),
    ("5 \\div (0 - 2)", "The divisor is -2"),
    ("2^(0 - 1)", "The exponent is -1"),
    ("Len([a |-> 1])", "is no sequence"),
]


@pytest.fixture(scope="module")
def values(modules):
    """A function: expressions -> what each one's value is, as a function to call."""

    def made(expressions, name):
        text = "\n".join(f"E{n} == {each}" for n, each in enumerate(expressions))
        file = modules({name: DEFINITIONS + text})[name]
        module = export.load(file)
        environment = Environment(Programs(module, Layout((), ())), CONSTANTS, ("a",))
        return file, [
            lambda n=n: environment.value(module.definition(f"E{n}").body)
            for n in range(len(expressions))
        ]

    return made


@pytest.fixture(scope="module")
def verdict(tmp_path_factory):
    """A function: TLC's outcome where every expression must have the given value."""

    def run(file, pairs):
        folder = tmp_path_factory.mktemp("tlc")
        (folder / file.name).write_bytes(file.read_bytes())
        assumed = "\n".join(f"ASSUME E{n} = {value}" for n, value in pairs)
        written(folder, "Assumed", f"{assumed}\nVARIABLE v\nS == v = 0 /\\ [][v' = v]_v", file.stem)
        files = mc.generate(
            mc.McConfig(
                "MCAssumed", folder / "Assumed.tla", "a test", CONSTANTS, specification="S"
            ),
            folder / "mc",
        )
        return process.run(files.module, timeout=300, config=files.config, shared=True)

    return run


def test_every_expression_has_the_value_that_tlc_gives_it(values, verdict):
    file, found = values(EXPRESSIONS, "Battery")
    pairs = [(n, format_tla(freeze(as_plain(value())))) for n, value in enumerate(found)]
    result = verdict(file, pairs)
    assert result.outcome is Outcome.COMPLETED, result.explanation


def test_tlc_would_refuse_a_wrong_value(values, verdict):
    file, _ = values(["1 + 1"], "Wrong")
    assert verdict(file, [(0, "3")]).outcome is not Outcome.COMPLETED


def test_an_expression_without_a_value_is_an_error(values):
    _, found = values([text for text, _ in WITHOUT_A_VALUE], "Undefined")
    for value, (text, message) in zip(found, WITHOUT_A_VALUE, strict=True):
        with pytest.raises(Undefined) as caught:
            value()
        assert message in str(caught.value) and "module Undefined, line" in str(caught.value), text
