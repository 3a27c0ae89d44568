"""A recording of labelled operations taken through the model: each event must be a step of it.

Silent steps are taken at once, as in the reduced graph: each commutes with every step of other
threads. A step that has begun and not ended may take effect at any moment between; so all states
that the model may be in are followed. Where the recording has the values of the shared variables,
the states with other values are left out. No state left: the recording violates the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import State, Step, Values, outcomes_of
from wheelproof.trace.judging.verdict import (
    CONFORMS,
    INCOMPLETE,
    OUT_OF_MODEL,
    VACUOUS,
    VIOLATES,
    Finding,
    Verdict,
)
from wheelproof.trace.steps.format import Event, Recording
from wheelproof.trace.steps.values import plain, text_of

PROPERTY = "Next"
"""The name under which an event is refused: the specification's next-state relation."""

BUDGET = 20_000
"""States that the model may be in at one event, at most."""

DONE = "Done"
KEPT = 20_000
"""States whose steps are remembered; then they are worked out anew."""

NOTHING = object()
"""In the place of a result: the operation has not ended."""


class Place(NamedTuple):
    """One state that the model may be in. ``begun``: threads whose step has begun and has not
    taken effect. ``results``: thread -> the result of its last operation, until it is seen."""

    state: State
    begun: frozenset[int]
    results: tuple[object, ...]


class _Refused(Exception):
    """An event that is no step in any place."""


class _Spent(Exception):
    """More places than the budget allows."""


def follow(mechanisms: Mapping[str, Mechanism], recording: Recording) -> Verdict:
    """The verdict on a recording. Its mechanism is the one of the header's module."""
    module = recording.header["spec"].get("module")
    mechanism = next(
        (mechanism for mechanism in mechanisms.values() if mechanism.module == module), None
    )
    if mechanism is None:
        return _out(recording, f"there is no mechanism {module!r} here")
    try:
        following = Following(mechanism, recording)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        why = f"no model can be made of the program ({type(error).__name__}: {error})"
        return _out(recording, why)
    return following.run()


def _out(recording: Recording, why: str) -> Verdict:
    finding = Finding(1, None, "Program", why)
    return Verdict(OUT_OF_MODEL, len(recording.events), (finding,))


class Following:
    """One recording on its way through the model. ``figures``: largest and sum of the sets."""

    def __init__(self, mechanism: Mechanism, recording: Recording) -> None:
        self.recording = recording
        self.program = recording.header["program"]
        self.model = mechanism.model_of(self.program)
        self.silent, self._ended = mechanism.silent, outcomes_of(self.model)
        self.threads = {name: place for place, name in enumerate(self.model.threads)}
        recorded_threads = set(recording.header["threads"])
        self.unseen = [
            place for name, place in self.threads.items() if name not in recorded_threads
        ]
        visible = [name for name in self.model.variables if name not in self.model.AUXILIARY]
        self.visible = {name: self.model.variables.index(name) for name in visible}
        self._successors: dict[State, list[Step]] = {}
        state = self.model.initial()
        for index in range(len(self.threads)):
            state, _ = self._settle(state, index)
        self.places = {Place(state, frozenset(), (NOTHING,) * len(self.threads))}
        self.known: dict[str, object] = {}
        self.within: dict[str, str] = {}
        self.steps = self.largest = self.sum = 0

    def run(self) -> Verdict:
        """Follow all events."""
        findings: list[Finding] = []
        numbers: dict[str, int] = {}
        for line, event in enumerate(self.recording.events, 2):
            if gap := self._gap(line, event, numbers):
                findings.append(Finding(line, None, "Sequence", gap))
                break
            if event["k"] != "state" and event["thread"] not in self.threads:
                return _out(self.recording, f"the program has no thread {event['thread']}")
            try:
                self.take(event)
            except _Refused as refusal:
                able = tuple(sorted(self.could()))
                finding = Finding(line, dict(event), PROPERTY, str(refusal), able)
                return self._verdict(VIOLATES, (finding,))
            except _Spent as exhaustion:
                findings.append(Finding(line, None, "Budget", str(exhaustion)))
                break
        else:
            findings += self._lacking()
        if findings:
            return self._verdict(INCOMPLETE, tuple(findings))
        return self._verdict(CONFORMS if self.steps else VACUOUS, ())

    def _verdict(self, verdict: str, findings: tuple[Finding, ...]) -> Verdict:
        return Verdict(verdict, len(self.recording.events), findings, {PROPERTY: self.steps})

    def _gap(self, line: int, event: Event, numbers: dict[str, int]) -> str:
        if event["seq"] != line - 1:
            return f"event {event['seq']} stands where event {line - 1} belongs"
        if event["k"] == "state":
            return ""
        due = numbers[event["thread"]] = numbers.get(event["thread"], 0) + 1
        if event["tseq"] != due:
            return f"{event['thread']}'s event {event['tseq']} stands where {due} belongs"
        return ""

    def _lacking(self) -> list[Finding]:
        if not self.recording.complete:
            return [Finding(0, None, "Footer", "there is no footer, or it counts other events")]
        if not self.recording.events:
            return [Finding(0, None, "Events", "there is no event")]
        last = {event["thread"]: event["k"] for event in self.recording.events if "thread" in event}
        open_threads = [
            name
            for name in self.recording.header["threads"]
            if last.get(name) not in ("stop", "blocked")
        ]
        return [Finding(0, None, "Program", f"{name} has not ended") for name in open_threads]

    # -- events

    def take(self, event: Event) -> None:
        """Take one event. Raises _Refused and _Spent."""
        self._close()
        self.largest = max(self.largest, len(self.places))
        self.sum += len(self.places)
        handler = getattr(self, f"_on_{event['k']}")
        if event["k"] == "state":
            self._keep(handler(event), event)
            return
        name = event["thread"]
        within, index = self.within.pop(name, ""), self.threads[name]
        if event["k"] == "begin":
            self.within[name] = event["label"]
        if within != (event["label"] if event["k"] == "end" else ""):
            raise _Refused(f"the bracket of {name}'s step {within or event['label']} is broken")
        after = {new for place in self.places for new in handler(place, index, event)}
        self._keep(after, event)
        self.steps += event["k"] in ("step", "end")

    def _keep(self, places: set[Place], event: Event) -> None:
        if not places:
            raise _Refused(self._why(event))
        self.places = places

    def _on_step(self, place: Place, index: int, event: Event) -> Iterable[Place]:
        if index not in place.begun and self._at(place, index) == event["label"]:
            yield from self._steps_of(place, index)

    def _on_begin(self, place: Place, index: int, event: Event) -> Iterable[Place]:
        if index not in place.begun and self._at(place, index) == event["label"]:
            yield place._replace(begun=place.begun | {index})

    def _on_end(self, place: Place, index: int, event: Event) -> Iterable[Place]:
        if index not in place.begun:
            yield place

    def _on_return(self, place: Place, index: int, event: Event) -> Iterable[Place]:
        result = place.results[index]
        if index in place.begun or result is NOTHING:
            return
        if plain(result) == event.get("value"):
            yield place._replace(results=_put(place.results, index, NOTHING))

    def _on_stop(self, place: Place, index: int, event: Event) -> Iterable[Place]:
        if "raised" not in event and self._at(place, index) == "":
            yield place

    def _on_blocked(self, place: Place, index: int, event: Event) -> Iterable[Place]:
        if self._at(place, index) == event["label"] and not list(self._steps_of(place, index)):
            yield place

    def _on_state(self, event: Event) -> set[Place]:
        self.known |= event["state"]
        return {
            place
            for place in self.places
            if not place.begun and not self._differs(place, self.known)
        }

    def _differs(self, place: Place, observations: Mapping[str, object]) -> list[str]:
        pieces = self.model.pieces(place.state)
        out = []
        for name, value in observations.items():
            model_value = plain(pieces[self.visible[name]]) if name in self.visible else NOTHING
            if model_value != value:
                theirs = "nothing" if model_value is NOTHING else text_of(model_value)
                out.append(f"{name} is {text_of(value)}, and {theirs} in the model")
        return out

    # -- the model's steps

    def _close(self) -> None:
        """Add the places that steps lead to which nothing shows."""
        waiting = list(self.places)
        while waiting:
            place = waiting.pop()
            for index in (*place.begun, *self.unseen):
                for after in self._steps_of(place, index):
                    after = after._replace(begun=after.begun - {index})
                    if index in self.unseen:
                        after = after._replace(results=_put(after.results, index, NOTHING))
                    if after not in self.places:
                        if len(self.places) >= BUDGET:
                            raise _Spent(f"the model may be in more than {BUDGET:,} states")
                        self.places.add(after)
                        waiting.append(after)

    def _steps_of(self, place: Place, index: int) -> Iterable[Place]:
        """The place after a thread's step, if the thread can take it."""
        for after in self._moves(place.state, index):
            outcomes = self._outcomes(index, place.state, after)
            state, rest = self._settle(after, index)
            results = place.results
            for result in (*outcomes, *rest):
                results = _put(results, index, result)
            yield Place(state, place.begun, results)

    def _moves(self, state: State, index: int) -> list[State]:
        """The states after a thread's next step."""
        steps = self._successors.get(state)
        if steps is None:
            if len(self._successors) > KEPT:
                self._successors.clear()
            steps = self._successors[state] = list(self.model.successors(state))
        return [after for thread, _, after in steps if thread == index]

    def _settle(self, state: State, index: int) -> tuple[State, list[object]]:
        """The state after a thread's silent steps, and the results of the operations that these
        ended."""
        results: list[object] = []
        while self._label(state, index) in self.silent:
            if not (moves := self._moves(state, index)):
                break
            before, state = state, moves[0]
            results += self._outcomes(index, before, state)
        return state, results

    def _outcomes(self, index: int, before: State, after: State) -> Values:
        return () if self._ended is None else tuple(self._ended(index, before, after))

    def _label(self, state: State, index: int) -> str:
        return state[1][index][0]

    def _at(self, place: Place, index: int) -> str:
        """The label that a thread stands at; "" at its end."""
        label = self._label(place.state, index)
        return "" if label == DONE else label

    # -- for people

    def could(self) -> set[str]:
        """The next steps of the threads that are seen."""
        out = set()
        for place in self.places:
            for name, index in self.threads.items():
                visible = index not in self.unseen and index not in place.begun
                if visible and list(self._steps_of(place, index)):
                    out.add(f"{name}: {self._at(place, index)}")
        return out

    def _why(self, event: Event) -> str:
        kind = event["k"]
        if kind == "state":
            near = min((self._differs(place, self.known) for place in self.places), key=len)
            return "; ".join(near[:3]) or "a step has begun and has not taken effect"
        name, index = event["thread"], self.threads[event["thread"]]
        at = sorted({self._at(place, index) or "its end" for place in self.places})
        where = ", ".join(at)
        if kind == "stop":
            if "raised" in event:
                return f"{name} raised {event['raised']}"
            return f"{name} has ended, and is at {where} in the model"
        if kind == "return":
            values = {place.results[index] for place in self.places} - {NOTHING}
            model = ", ".join(sorted(text_of(plain(value)) for value in values))
            result = f"{name}'s operation returns {text_of(event.get('value'))}"
            return f"{result}, and {model or 'has not ended'} in the model"
        if kind == "blocked":
            return f"{name} waits at {event['label']} for ever, and in the model it can go on"
        if kind == "end":
            return (
                f"{event['label']} of {name} has ended, and cannot have taken effect in the model"
            )
        if where == event["label"]:
            return f"{name} takes {where}, and has to wait there in the model"
        return f"{name} takes {event['label']}, {where} in the model"


def _put(values: Values, index: int, value: object) -> Values:
    return (*values[:index], value, *values[index + 1 :])
