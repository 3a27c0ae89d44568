import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheelproof.errors import UsageError
from wheelproof.tlc import dot
from wheelproof.tlc.values import (
    Function,
    ModelValue,
    ValueSyntaxError,
    format_tla,
    freeze,
    function,
    parse_value,
    split_state,
)

TEXTS = st.text(st.sampled_from("ab_1 \"\\\t\n\f\r/,:@|<>{}[]()'"), max_size=8)
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**31) + 1, 2**31 - 1),
    TEXTS,
    st.sampled_from(["a", "IF", "WF_x", "x1"]),
    st.builds(ModelValue, st.sampled_from(["m1", "Thing", "_a", "1b"])),
)


def nested(values):
    return st.one_of(
        st.frozensets(values, max_size=3),
        st.lists(values, max_size=3).map(tuple),
        st.dictionaries(values, values, max_size=3).map(function),
        st.dictionaries(st.integers(1, 3), values, max_size=3).map(function),
    )


VALUES = st.deferred(lambda: SCALARS | nested(VALUES))


@given(VALUES)
def test_a_written_value_is_read_back(value):
    text = format_tla(value)
    assert parse_value(text) == value
    assert format_tla(parse_value(text)) == text


@given(VALUES, VALUES)
def test_different_values_have_different_texts(one, other):
    assert (format_tla(one) == format_tla(other)) <= (one == other)


@given(st.dictionaries(TEXTS, st.integers(0, 9), min_size=2, max_size=5))
def test_text_and_order_do_not_depend_on_how_a_value_was_made(results):
    forward, backward = function(results), function(dict(reversed(results.items())))
    assert list(forward) == list(backward)
    assert hash(forward) == hash(backward)
    assert format_tla(frozenset([1, forward])) == format_tla(frozenset([backward, 1]))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 .. 3", frozenset({1, 2, 3})),
        ("1..0", frozenset()),
        ("-2..-1", frozenset({-2, -1})),
        ("<< >>", ()),
        ("(1 :> 5 @@ 2 :> 6)", (5, 6)),
        ("(2 :> 6 @@ 1 :> 5)", (5, 6)),
        ("(TRUE :> 5)", Function({True: 5})),
        ("[a |-> 1, if |-> 2]", Function({"a": 1, "if": 2})),
        ('<< 1,\n   [ a |->\n       {"x"} ] >>', (1, Function({"a": frozenset({"x"})}))),
        (r'"a\"b\\c\n"', 'a"b\\c\n'),
        ("m1", ModelValue("m1")),
    ],
)
def test_printed_forms(text, value):
    assert parse_value(text) == value
    assert format_tla(parse_value(text)) == format_tla(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{1",
        "{1,}",
        "1 2",
        "<<1>",
        "[a |-> ]",
        "[1 |-> 2]",
        "(1 :> 2 @@ )",
        '"open',
        r'"\x"',
        "1..",
        "1..a",
        "$",
        "-",
        "{1, 1}",
        "{TRUE, 1}",
        "(1 :> 2 @@ 1 :> 3)",
        "0..2000000000",
        "{1; 2}",
    ],
)
def test_everything_else_is_refused_with_its_place(text):
    with pytest.raises(ValueSyntaxError, match=r"at position [0-9]+ of"):
        parse_value(text)


def test_truth_and_one_have_different_texts_although_python_equates_them():
    assert (True,) == (1,)
    assert format_tla((True,)) != format_tla((1,))


def test_model_value_is_not_the_string():
    assert ModelValue("a") != "a"
    assert format_tla(ModelValue("a")) == "a" != format_tla("a")


def test_function_over_one_to_n_exists_as_a_tuple_only():
    assert function({2: "b", 1: "a"}) == ("a", "b")
    assert function({}) == ()
    with pytest.raises(ValueError, match=r"1..2"):
        Function({1: "a", 2: "b"})
    assert isinstance(function({True: 1}), Function)


def test_freeze_takes_plain_data():
    plain = {"ring": {"l1": ["e1"], "l2": []}, "set": {1}, "null": None}
    frozen = freeze(plain, null="null")
    assert frozen == Function(
        {"ring": Function({"l1": ("e1",), "l2": ()}), "set": frozenset({1}), "null": "null"}
    )
    assert freeze(frozen) == frozen


@pytest.mark.parametrize("value", [None, 1.5, object(), [b"x"]])
def test_freeze_refuses_values_without_a_tla_form(value):
    with pytest.raises(UsageError, match="has no TLA\\+ value"):
        freeze(value)


@pytest.mark.parametrize("value", [2**31, -(2**31), "é", "\0"])
def test_a_value_that_tlc_cannot_take_is_not_written(value):
    with pytest.raises(UsageError):
        format_tla((value,))


@given(st.dictionaries(st.sampled_from(["x", "y_1", "pc"]), VALUES, min_size=1))
def test_a_state_is_split_at_its_variables(variables):
    texts = {name: format_tla(value) for name, value in variables.items()}
    printed = "\n".join(f"/\\ {name} = {text}" for name, text in texts.items())
    assert split_state(printed) == texts
    label = printed.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    assert dot.Node(b"1", label.encode(), False).variables() == texts


def test_a_state_of_one_variable_and_a_wrapped_one():
    assert split_state("x = 1\n") == {"x": "1"}
    assert split_state("/\\ x = << 1,\n   2 >>\n/\\ y = 2\n") == {"x": "<< 1,\n   2 >>", "y": "2"}


@pytest.mark.parametrize("text", ["", "x", "/\\ x = 1\n/\\ x = 2"])
def test_other_states_are_refused(text):
    with pytest.raises(ValueSyntaxError):
        split_state(text)
