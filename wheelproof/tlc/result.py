"""The verdict on one TLC run, from its messages and its exit code together.

* `completed` (nothing violated) needs the messages 2193 and 2186, the final counts, an empty queue,
  no message of an error, and exit code 0;
* `violated` needs the violation's message, the name of the property and the exit code that belongs
  to the message. A run that went on after the violation needs all of `completed` beside the
  message: TLC reports "no error" and exits with 0 then;
* `inconclusive` is a run that its time limit ended;
* everything else is `error`: TLC or the spec broke, and no property was judged.
"""

import re
import signal
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from wheelproof.tlc.mc import FIRST
from wheelproof.tlc.messages import ERROR, TLC_BUG, Code, Line, Message, Truncated
from wheelproof.tlc.remedies import errors_among, with_remedy
from wheelproof.tlc.values import Value, ValueSyntaxError, parse_value, split_state

NO_DEADLOCK = "NoDeadlock"  # the property that a deadlock violates

EXIT_OF = {
    Code.INVARIANT: 12,
    Code.INVARIANT_INITIAL: 12,
    Code.DEADLOCK: 11,
    Code.TEMPORAL: 13,
    Code.ACTION_PROPERTY: 13,
    Code.PROPERTY_INITIAL: 13,
}
"""The messages of a violation, each with the exit code that TLC ends with after it."""

_TRACE_HEADERS = (Code.TRACE, Code.LASSO)
_KEPT_LINES = 20
_LONGEST_REASON = 400

_NUMBER = r"([\d,]+)"
_STATS = re.compile(
    rf"{_NUMBER} states generated, {_NUMBER} distinct states found, {_NUMBER} states left on queue"
)
_DEPTH = re.compile(rf"depth of the complete state graph search is {_NUMBER}")
_PROGRESS = re.compile(
    rf"Progress\({_NUMBER}\).*?{_NUMBER} states generated.*?{_NUMBER} distinct states "
    rf"found.*?{_NUMBER} states left"
)
_COLLISION = re.compile(r"calculated \(optimistic\):\s+val = ([\d.E+-]+)")
_VIOLATED = re.compile(
    r"(?:Invariant|Action property|Property|Temporal property) (.+?) (?:is|was) violated"
)
_LOCATION = re.compile(r"line \d+, col \d+ to line \d+, col \d+ of module \w+")
_STATE = re.compile(r"(\d+): <(.*?)>\n(.*)", re.DOTALL)
_BACK = re.compile(r"(\d+): Back to state(?:: <(.*?)>)?")
_SANY_NOISE = ("Parsing file ", "Semantic processing of module ", "Warning: ")
_STALE = re.compile(
    r"!! WARNING: The (?:PlusCal algorithm|TLA\+ translation)\b.* in module (\w+) .*since"
)


class Outcome(StrEnum):
    """How a run ended."""

    COMPLETED = "completed"
    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"
    ERROR = "error"


@dataclass(frozen=True)
class Progress:
    """TLC's figures while it runs: depth, states generated, distinct states, states left."""

    depth: int
    generated: int
    distinct: int
    queue: int


@dataclass(frozen=True)
class TraceState:
    """One state of an error trace, and the action that led to it (None for the first).

    `number` counts from 1, `location` is the action's place in the module. `process`: the process
    that moved, where it is known; TLC does not print it.
    """

    number: int
    action: str | None
    location: str
    variables: dict[str, Value]
    process: str | None = None


@dataclass(frozen=True)
class TlcResult:
    """One judged run.

    generated, distinct, depth: TLC's final counts; None where it did not print them (never so when
        `completed`; a liveness violation has no depth).
    property: the violated property, NO_DEADLOCK for a deadlock.
    location: the place of a violated property in its module, where TLC reports the place and not
    the name.
    trace: the behaviour that violates it; `loop` is the number of the state to which a lasso
        returns, `loop_action` the action that does; `stuttering`: the behaviour stays in
        its last state for ever.
    collision: TLC's estimate of the probability that two states were taken for one.
    explanation: one sentence on an outcome other than `completed`.
    whole: every reachable state was explored.
    """

    outcome: Outcome
    property: str | None = None
    location: str | None = None
    explanation: str = ""
    generated: int | None = None
    distinct: int | None = None
    depth: int | None = None
    trace: tuple[TraceState, ...] = ()
    loop: int | None = None
    loop_action: str | None = None
    stuttering: bool = False
    collision: float | None = None
    version: str = ""
    seconds: float = 0.0
    exit_code: int | None = None
    log: Path | None = None
    whole: bool = False


@dataclass
class Account:
    """Collects the messages of one run and judges them at its end. It keeps no log."""

    version: str = ""
    finished: bool = False
    success: bool = False
    truncated: int | None = None
    stale: str | None = None
    out_of_memory: bool = False
    counts: tuple[int, int, int] | None = None  # generated, distinct, left on the queue
    depth: int | None = None
    collision: float | None = None
    progress: Progress | None = None
    violations: list[Message] = field(default_factory=list)
    errors: list[Message] = field(default_factory=list)
    # the first unframed lines that carry a message
    complaints: list[str] = field(default_factory=list)
    trace: list[TraceState] = field(default_factory=list)
    loop: int | None = None
    loop_action: str | None = None
    stuttering: bool = False

    def add(self, item: Message | Line | Truncated) -> None:
        """Add one item of `read_messages`; ValueSyntaxError for an unreadable state."""
        match item:
            case Truncated(code):
                self.truncated = code
            case Line(text):
                self._add_line(text)
            case Message():
                self._add_message(item)

    def _add_line(self, text: str) -> None:
        if match := _STALE.search(text):
            self.stale = match[1]
        if "java.lang.OutOfMemoryError" in text:
            self.out_of_memory = True
        if text.strip() and not text.startswith(_SANY_NOISE) and len(self.complaints) < _KEPT_LINES:
            self.complaints.append(text.strip())

    def _add_message(self, message: Message) -> None:
        match message.code:
            case Code.VERSION:
                self.version = message.text.strip()
            case Code.SUCCESS:
                self.success = True
                if numbers := _COLLISION.search(message.text):
                    self.collision = float(numbers[1])
            case Code.FINISHED:
                self.finished = True
            case Code.STATS:
                if numbers := _STATS.search(message.text):
                    state_count, distinct, queue = _integers(numbers)
                    self.counts = state_count, distinct, queue
            case Code.DEPTH:
                if numbers := _DEPTH.search(message.text):
                    (self.depth,) = _integers(numbers)
            case Code.PROGRESS:
                if numbers := _PROGRESS.search(message.text):
                    self.progress = Progress(*_integers(numbers))
            case Code.STATE:
                self.trace.append(_trace_state(message.text))
            case Code.BACK_TO_STATE:
                if numbers := _BACK.search(message.text):
                    self.loop, self.loop_action = int(numbers[1]), _action(numbers[2] or "")[0]
            case Code.STUTTERING:
                self.stuttering = True
            case Code.INVARIANT_INITIAL | Code.PROPERTY_INITIAL:
                self.violations.append(message)
                self.trace.append(
                    TraceState(1, None, "", _variables(message.text.partition(":\n")[2]))
                )
            case code if code in EXIT_OF:
                self.violations.append(message)
            case Code.OUT_OF_MEMORY | Code.TOO_MANY_INITIAL:
                self.out_of_memory = True
                self.errors.append(message)
            case code if message.severity in (ERROR, TLC_BUG) and code not in _TRACE_HEADERS:
                self.errors.append(message)

    def judge(
        self,
        exit_code: int,
        *,
        only_property: str | None = None,
        went_on: bool = False,
        timed_out: float | None = None,
        seconds: float = 0.0,
        log: Path | None = None,
    ) -> TlcResult:
        """The result of a run that ended with this exit code (negative: the signal that killed it).

        only_property: the one temporal or action property of the config; TLC 2.18 does not report
        its name itself.
        went_on: TLC went on after a violation (-continue).
        timed_out: the limit in seconds, where it was the limit that ended the run.
        """
        name, location = self._violation(only_property)
        if timed_out is not None and not self.finished:
            outcome = Outcome.INCONCLUSIVE
            why = f"TLC was stopped by its limit of {timed_out:g} s{self._so_far()}"
        elif why := self._failure(exit_code, name, went_on):
            outcome = Outcome.ERROR
        elif self.violations:
            outcome = Outcome.VIOLATED
            why = f"{name} is violated by a behaviour of {len(self.trace)} states"
        else:
            outcome, why = Outcome.COMPLETED, ""
        if why:
            why += f"; the log is {log}." if log else "."
        state_count, distinct = self.counts[:2] if self.counts else (None, None)
        is_violation = outcome is Outcome.VIOLATED
        return TlcResult(
            outcome=outcome,
            property=name if is_violation else None,
            location=location if is_violation else None,
            explanation=why,
            generated=state_count,
            distinct=distinct,
            depth=self.depth,
            trace=tuple(self.trace),
            loop=self.loop,
            loop_action=self.loop_action,
            stuttering=self.stuttering,
            collision=self.collision,
            version=self.version,
            seconds=seconds,
            exit_code=exit_code,
            log=log,
            whole=outcome is Outcome.COMPLETED or (is_violation and went_on),
        )

    def _violation(self, only_property: str | None) -> tuple[str | None, str | None]:
        """Name and place of the first violated property, as far as they are known."""
        if not self.violations:
            return None, None
        message = self.violations[0]
        if message.code == Code.DEADLOCK:
            return NO_DEADLOCK, None
        match = _VIOLATED.search(message.text)
        text = match[1] if match else ""
        if text and not _LOCATION.fullmatch(text):
            return text.removeprefix(FIRST), None
        return only_property, text or None

    def _failure(self, exit_code: int, name: str | None, went_on: bool) -> str:
        """Why the run is no evidence, as the beginning of a sentence; empty where it is."""
        if self.stale:
            return (
                f"The PlusCal translation in module {self.stale} is stale and TLC checked the old "
                "one; "
                "run `wheelproof translate`"
            )
        if exit_code < 0:
            return f"TLC was killed by {_signal(exit_code)}{self._so_far()}"
        if self.truncated is not None:
            return (
                f"TLC's output breaks off within message {self.truncated} (exit code {exit_code})"
            )
        if self.out_of_memory:
            return (
                f"TLC ran out of memory{self._so_far()} (exit code {exit_code}); "
                "give it a larger heap"
            )
        if self.errors:
            return f"TLC failed with exit code {exit_code}: {with_remedy(self._reason())}"
        if not self.finished:
            return (
                f"TLC ended with exit code {exit_code} without its closing message: "
                f"{self._reason()}"
            )
        if self.violations and not went_on:
            return self._unsound_violation(exit_code, name)
        if len(self.violations) > 1:
            return (
                f"TLC reported {len(self.violations)} violations in one run; "
                "of these the first alone can be judged"
            )
        if self.violations and (violation := self._unnamed_violation(name)):
            return violation
        if exit_code != 0 or not self.success:
            report = "reported" if self.success else "did not report"
            return f"TLC {report} that it found no error but ended with exit code {exit_code}"
        if self.counts is None or self.depth is None:
            return "TLC found no error but printed no final counts"
        if self.counts[2] != 0:
            return f"TLC found no error but left {self.counts[2]} states unexplored"
        return ""

    def _unsound_violation(self, exit_code: int, name: str | None) -> str:
        first = self.violations[0]
        if len(self.violations) > 1:
            return (
                f"TLC reported {len(self.violations)} violations in one run, "
                "which only -continue does"
            )
        if self.success:
            return (
                "TLC reported a violation and that it found no error "
                f"(exit code {exit_code}), as -continue does"
            )
        if exit_code != EXIT_OF[Code(first.code)]:
            return (
                f"TLC reported a violation (message {first.code}) "
                f"but ended with exit code {exit_code}"
            )
        return self._unnamed_violation(name)

    def _unnamed_violation(self, name: str | None) -> str:
        if name is None:
            return (
                "TLC reported a violated temporal property without its name; "
                "check one property per config"
            )
        if not self.trace:
            return f"TLC reported that {name} is violated but printed no trace"
        return ""

    def _reason(self) -> str:
        """TLC's own message about an error, in one line."""
        # Before "\n: " an unexpected exception is introduced in the same words always.
        texts = [
            message.text.split("\n: ")[-1]
            for message in self.errors
            if message.code != Code.NESTED_EXPRESSION
        ]
        if not texts or self.errors[0].code == Code.PARSING_FAILED:
            texts = errors_among(self.complaints) or texts
        reason = " ".join(" ".join(texts).split()).rstrip(".") or "it printed nothing"
        return reason if len(reason) <= _LONGEST_REASON else reason[:_LONGEST_REASON] + "..."

    def _so_far(self) -> str:
        if self.progress is None:
            return ""
        return f" after {self.progress.distinct} distinct states at depth {self.progress.depth}"


def _trace_state(text: str) -> TraceState:
    match = _STATE.match(text)
    if match is None:
        raise ValueSyntaxError(
            f"TLC printed a state of a trace that cannot be read: {text.strip()[:120]!r}."
        )
    action, location = _action(match[2])
    return TraceState(int(match[1]), action, location, _variables(match[3]))


def _action(header: str) -> tuple[str | None, str]:
    """Name and place in `Up line 14, col 9 ... of module Stair`; no name in an initial state."""
    if match := _LOCATION.search(header):
        return header[: match.start()].strip() or None, match[0]
    return None, ""


def _variables(text: str) -> dict[str, Value]:
    return {name: parse_value(value) for name, value in split_state(text).items()}


def _integers(match: re.Match[str]) -> tuple[int, ...]:
    return tuple(int(number.replace(",", "")) for number in match.groups())


def _signal(exit_code: int) -> str:
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"
