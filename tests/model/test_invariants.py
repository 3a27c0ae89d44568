"""The invariants that a model lists are those that its mechanism declares."""

import pytest

from model import (
    delayed_operation_properties,
    overflow_wheel_properties,
    parted_timer_properties,
    purgatory_properties,
    system_timer_properties,
    timer_task_list_properties,
    timing_wheel,
)
from tests.found import mechanisms

MECHANISMS = mechanisms()
LISTED = {
    "delayed_operation": delayed_operation_properties.Properties.INVARIANTS,
    "overflow_wheel": overflow_wheel_properties.Properties.INVARIANTS,
    "parted_timer": parted_timer_properties.Properties.INVARIANTS,
    "purgatory": purgatory_properties.Properties.INVARIANTS,
    "system_timer": system_timer_properties.Properties.INVARIANTS,
    "timer_task_list": timer_task_list_properties.Properties.INVARIANTS,
    "timing_wheel": timing_wheel.Model.INVARIANTS,
}


def unlike(listed, mechanism):
    """The invariants that only the model's list or only the declarations have."""
    return {*listed} ^ {*MECHANISMS[mechanism].invariants}


@pytest.mark.parametrize("mechanism", LISTED)
def test_a_model_lists_the_invariants_that_are_declared(mechanism):
    assert not unlike(LISTED[mechanism], mechanism)
    for name in LISTED[mechanism]:
        without = [each for each in LISTED[mechanism] if each != name]
        assert unlike(without, mechanism) == {name}


def test_every_model_with_a_list_is_here():
    named = {
        name
        for name, mechanism in MECHANISMS.items()
        if hasattr(mechanism.model_module.Model, "INVARIANTS")
    }
    assert named == LISTED.keys()
