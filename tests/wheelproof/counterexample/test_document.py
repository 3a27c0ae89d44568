"""The counterexample file: a round trip is exact; damage is rejected with file and field."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheelproof.counterexample.document import Counterexample, Step, read
from wheelproof.errors import UsageError

texts = st.text(max_size=8)
words = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.@-]{0,6}", fullmatch=True)
sources = st.builds(
    "{}:{}".format,
    st.text(st.characters(exclude_characters=":\n\r"), min_size=1, max_size=8),
    st.integers(1, 10**6),
)


@st.composite
def counterexamples(draw):
    threads = draw(st.lists(words, unique=True, min_size=1, max_size=3))
    steps = draw(
        st.lists(
            st.builds(
                Step,
                st.sampled_from(threads),
                texts,
                texts,
                st.none() | sources,
                st.dictionaries(texts, st.tuples(texts, texts), max_size=2),
                texts,
            ),
            max_size=5,
        )
    )
    return Counterexample(
        *(draw(words) for _ in range(5)),
        draw(texts),
        tuple(threads),
        draw(st.dictionaries(texts, texts, max_size=3)),
        tuple(steps),
        draw(st.just("") | words),
        draw(st.just("") | words),
        draw(st.none() | st.integers(0, len(steps))),
    )


@given(counterexamples())
def test_it_survives_the_file(tmp_path_factory, trace):
    path = tmp_path_factory.mktemp("traces") / "sub" / "trace.json"
    trace.write(path)
    assert read(path) == trace


GOOD = Counterexample(
    "m",
    "tlc",
    "n",
    "s",
    "P",
    "because",
    ("a", "b"),
    {"x": "0"},
    (Step("a", "A1", "lock", "impl/m.py:3", {"x": ("0", "1")}), Step("b", "A2", "read")),
    loop=1,
).document()


def test_the_document_is_that_of_the_schema():
    assert GOOD == {
        "schema": "wheelproof.counterexample/2",
        "mechanism": "m",
        "layer": "tlc",
        "name": "n",
        "scenario": "s",
        "model_without": "",
        "impl_without": "",
        "verdict": "violated",
        "property": "P",
        "explanation": "because",
        "threads": ["a", "b"],
        "initial": {"x": "0"},
        "steps": [
            {
                "thread": "a",
                "label": "A1",
                "kind": "lock",
                "source": "impl/m.py:3",
                "changes": {"x": ["0", "1"]},
            },
            {"thread": "b", "label": "A2", "kind": "read", "source": None, "changes": {}},
        ],
        "loop": 1,
    }


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda d: d.update(schema="wheelproof.counterexample/1"), "counterexample/1"),
        (lambda d: d.update(verdict="proved"), "field verdict must be 'violated'"),
        (lambda d: d.pop("property"), "field property is missing"),
        (lambda d: d.update(property=None), "field property must be a string, not null"),
        (lambda d: d.update(threads=["a", "a", "b"]), "field threads names a thread twice"),
        (
            lambda d: d.update(threads=["a"]),
            "field steps[1].thread must be one of the threads a, not 'b'",
        ),
        (lambda d: d.update(steps=[3]), "field steps[0] must be an object, not 3"),
        (
            lambda d: d["steps"][0].update(source="impl/m.py"),
            "field steps[0].source must be a path",
        ),
        (
            lambda d: d["steps"][0]["changes"].update(x=["1"]),
            "field steps[0].changes.x must be the value before",
        ),
        (
            lambda d: d["steps"][0]["changes"].update(x=["1", 2]),
            "field steps[0].changes.x[1] must be a string, not 2",
        ),
        (lambda d: d["initial"].update(x=0), "field initial.x must be a string, not 0"),
        (lambda d: d.update(loop=3), "field loop must be from 0 to 2, not 3"),
        (lambda d: d.update(loop=True), "field loop must be a whole number, not true"),
        (lambda d: d.update(impl_without=None), "field impl_without must be a string, not null"),
        (lambda d: d.update(property='x"""'), "field property must be a name, of letters"),
        (lambda d: d.update(mechanism="../m"), "field mechanism must be a name"),
        (lambda d: d.update(layer=""), "field layer must be a name"),
        (lambda d: d.update(name="a  b"), "field name must be a name"),
        (lambda d: d.update(name="a -b"), "field name must be a name"),
        (lambda d: d.update(name="a b "), "field name must be a name"),
        (lambda d: d.update(name="a\tb"), "field name must be a name"),
        (lambda d: d.update(scenario="s;id"), "field scenario must be a name"),
        (lambda d: d.update(impl_without="-rf"), "field impl_without must be a name"),
        (lambda d: d.update(model_without="a\n"), "field model_without must be a name"),
        (lambda d: d.update(threads=["a", "$(id)"]), "field threads[1] must be a name"),
    ],
)
def test_a_damaged_file_is_refused_with_its_field(tmp_path, damage, message):
    path = tmp_path / "trace.json"
    document = json.loads(json.dumps(GOOD))
    path.write_text(json.dumps(document))
    assert read(path)
    damage(document)
    path.write_text(json.dumps(document))
    with pytest.raises(UsageError) as refused:
        read(path)
    assert message in str(refused.value) and str(path) in str(refused.value)


def test_a_check_of_released_classes_is_named_by_a_config_and_a_property(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(GOOD | {"name": "holder NoDeadlock@4.3.0-fixed"}))
    assert read(path).name == "holder NoDeadlock@4.3.0-fixed"
