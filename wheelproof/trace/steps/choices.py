"""``choose`` in a recording: at random in a free run, as the schedule has it in a directed one.

The recording has the step and not the choice. The model is followed in every state that one of its
choices leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from wheelproof.choices import text_of
from wheelproof.trace.steps.recorder import Actor, Recorder, frame_of


def chooser(recorder: Recorder) -> Callable[[Iterable[Any]], Any]:
    """The function ``choose`` of a project's runtime."""

    def choose(values: Iterable[Any]) -> Any:
        alternatives, actor, frame = tuple(values), recorder.actor, frame_of(1)
        step = None if actor is None else recorder.arrive(actor, frame, "choose")
        by_text = {_text(value): value for value in alternatives}
        plan = actor.chooses if actor is not None and len(by_text) > 1 else []
        if plan and plan[0] not in by_text:
            recorder.refuse(frame, f"{plan[0]}, which the schedule has, cannot be chosen here.")

        def effect() -> Any:
            text = plan.pop(0) if plan else recorder.draw(sorted(by_text))
            return by_text[text]

        return recorder.perform(actor, step, frame, effect)

    return choose


def _text(value: Any) -> str:
    return text_of(value.name if isinstance(value, Actor) else value)
