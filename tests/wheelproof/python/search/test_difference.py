"""What is printed where the harness's variables are not the model's."""

import pytest

from wheelproof.python.search.difference import compare_shared


@pytest.mark.parametrize(
    "own, other, remedy",
    [
        (((1, 2),), (1, 2), " (shared() puts it into one tuple too many)"),
        (((),), (), " (shared() puts it into one tuple too many)"),
        (1, (1,), " (shared() has to put it into a tuple)"),
        ((2,), (1,), ""),
    ],
)
def test_a_value_in_the_wrong_number_of_tuples_is_named(own, other, remedy):
    found = compare_shared({"items": own, "open": (True,)}, {"items": other, "open": (True,)})
    assert found == (
        f"items is {own!r}, {other!r} in the model{remedy}",
        {"items": own},
        {"items": other},
    )
