"""The values of a stack by level: the first level is the outermost call's."""

from __future__ import annotations

from proofs.generated.levels import HEIGHT, values


def test_the_outermost_frame_is_the_first_level_and_a_frame_has_its_own_fields():
    inner, outer = {"pc": "B", "args": ("x", "y")}, {"pc": "A"}
    found = values(
        {"stack_pc": "label", "stack_args_2": "item"},
        {"a": (inner, outer), "b": ()},
        lambda shape, value: (shape, value),
    )
    assert found == {
        HEIGHT: {"a": 2, "b": 0},
        "stack_pc": {"a": {1: ("label", "A"), 2: ("label", "B")}, "b": {}},
        "stack_args_2": {"a": {2: ("item", "y")}, "b": {}},
    }
