"""The controlled ``choose``: which values the steps of a run choose, and which ones they could.

A choice belongs to the step that is under way, as a plain read does: on a line with a label it
begins that step. So a step has one successor for each choice that it can make, and its key is the
thread with the choice (:mod:`wheelproof.choices`). A choice among values of which there is one is
none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wheelproof.choices import Choice, text_of
from wheelproof.python.runtime.threads import Thread

if TYPE_CHECKING:
    from wheelproof.python.runtime.controlled import Scheduler


_ATOMS = (int, str, float, bool, type(None))


class Nameless(Exception):
    """A value that has no name that is the same in every run."""


class Alternatives:
    """The choices of the steps that are taken next."""

    __slots__ = ("_names", "_plan", "_strict", "beside", "draw", "sole", "taken")

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self.draw: Callable[[int], int] | None = None
        """Chooses one of so many where no plan does. None takes the first one."""
        self.begin(())

    def begin(self, plan: Sequence[str], strict: bool = True) -> None:
        """Steps are taken that have to choose these values, one after the other.

        ``strict``: a value that cannot be chosen is a finding; otherwise the first one is taken.
        """
        self._plan, self._strict = list(reversed(plan)), strict
        self.taken: Choice = ()
        """The values chosen since :meth:`begin`."""
        self.sole: Choice = ()
        """The values for which there was no choice."""
        self.beside: list[Choice] = []
        """Beginnings of other choices, as far as no plan forbade them."""

    @property
    def is_open(self) -> bool:
        """Whether steps have chosen less than was planned."""
        return bool(self._plan)

    def name_roots(self, roots: Mapping[str, object]) -> None:
        """A run begins, with these objects by name."""
        self._names = {id(value): name for name, value in roots.items()}
        self.draw = None
        self.begin(())

    def choose(self, values: Sequence[Any]) -> Any:
        """The value that is chosen. Raises Nameless, and LookupError for a plan that is wrong."""
        values_by_text: dict[str, Any] = {}
        for value in values:
            text = self._text(value)
            if type(values_by_text.setdefault(text, value)) is not type(value):
                raise Nameless(f"two are named {text}")
        texts = sorted(values_by_text)  # a set has another order in each process
        if len(values_by_text) == 1:
            self.sole = (*self.sole, *texts)
            return values[0]
        if self._plan:
            text = self._plan.pop()
            if text not in values_by_text:
                if self._strict:
                    raise LookupError(f"{text} is none of {', '.join(texts)}")
                text = texts[0]
        else:
            text = texts[self.draw(len(texts)) if self.draw else 0]
            self.beside += [(*self.taken, option) for option in reversed(texts) if option != text]
        self.taken = (*self.taken, text)
        return values_by_text[text]

    def _text(self, value: Any) -> str:
        if type(value) in _ATOMS:
            return text_of(value)
        if type(value) is Thread:
            return text_of(value.name)
        if id(value) in self._names:
            return text_of(self._names[id(value)])
        if isinstance(value, tuple):
            return "(" + "".join(f"{self._text(part)}, " for part in value).rstrip() + ")"
        if isinstance(value, frozenset):
            return "{" + ", ".join(sorted(map(self._text, value))) + "}"
        raise Nameless(f"a {type(value).__qualname__}")


def chooser(scheduler: Scheduler) -> Callable[[Iterable[Any]], Any]:
    """The function ``choose`` of the controlled runtime."""
    point, alternatives = scheduler.point, scheduler.alternatives

    def choose(values: Iterable[Any]) -> Any:
        """One of the values, whichever; IndexError if there is none."""
        thread = scheduler.running
        if thread is None:
            raise RuntimeError("a choice outside of the scenario's threads, which is in no step")
        point("choose", False)
        if thread.site is None and not scheduler.coarse:
            scheduler.fail(
                f"{thread.name} chooses before its first step; let a labelled line choose"
            )
        if not (options := tuple(values)):
            raise IndexError("there is no value to choose")
        try:
            return alternatives.choose(options)
        except Nameless as error:
            scheduler.fail(
                f"{thread.name} chooses among values without a name of their own: {error}; choose "
                "among numbers, texts, threads or objects that Harness.names gives"
            )
        except LookupError as error:
            scheduler.fail(f"{thread.name} cannot choose as the schedule has it: {error}")

    return choose
