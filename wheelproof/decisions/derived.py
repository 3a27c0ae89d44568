"""The hunk of a specification that follows from the hunks of the code.

Six changes of labelled code have one counterpart in PlusCal: a step that is left out, a step that
moves, two steps that change places, ``notify`` in the place of ``notify_all`` or the other way
round, ``if`` in the place of ``while``, and ``NoMonitor`` in the place of a lock. Any other change
is refused: its hunk of the specification is written by hand. A hunk that follows is checked as any
other: the changed machines must be one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wheelproof import reading
from wheelproof.decisions import hunks
from wheelproof.decisions.hunks import DoesNotFit, Hunk
from wheelproof.decisions.read import Decision
from wheelproof.python import labels

_ALGORITHM = re.compile(r"--(?:fair\s+)?algorithm\b")
_COMMENT = re.compile(r"\s*#.*$")
_LABEL = re.compile(r"^\s*([A-Za-z]\w*):(?![=:])")
_CONTROL = re.compile(r"^(?:while|if|elsif|else|end|either|or|with|goto|call|return|\}|\()\b")
_ALL = re.compile(r"NotifiedAll\((.*)\)")
_TAKEN = re.compile(r"^\s*\w+:\s*await (\w+) = NULL;\s*\1 := self;$")
_CREATED = re.compile(r"(self\.\w+) = (\w+)\(\)")
_SOME = re.compile(r"Notified\((.*), 1\)")


class Unlike(Exception):
    """A change whose counterpart in the specification is not known: the reason."""


@dataclass(frozen=True)
class Line:
    """A line of code with a label, or with both of a ``with``."""

    label: str
    text: str
    """The statement without its comment and its margin."""
    within: tuple[str, ...]
    """The ``if`` and ``while`` around it, outermost first."""
    rest: tuple[str, ...]
    """The lines without a label up to the next line that has one."""


def complete(decision: Decision, root: Path, spec: str, implementation: str) -> Decision:
    """A decision with the hunk of the specification that follows from those of the code.

    ``spec``, ``implementation``: the files relative to the project's folder ``root``. A decision
    stays as it is where it has a hunk of the specification, no mutant or no hunk of the code, or
    where the specification has no PlusCal.

    Where none follows the decision has the reason, and refuses to be applied.
    """
    files = decision.files
    if not decision.mutants or spec in files or implementation not in files:
        return decision
    own_hunks = [hunk for hunk in decision.hunks if hunk.file == implementation]
    code = reading.text(root / implementation)
    text = reading.text(root / spec)
    if not _ALGORITHM.search(text):
        return decision
    try:
        result = hunks.apply(code, own_hunks)
        new_text = _change(text, lines_of(code), lines_of(result), _locks_dropped(code, result))
    except DoesNotFit:
        return decision
    except Unlike as error:
        fault = f"no hunk of {spec} follows from those of the code: {error}"
        return replace(decision, fault=fault)
    return replace(
        decision,
        hunks=(*decision.hunks, between(text, new_text, spec, decision.file, own_hunks[0].line)),
    )


def between(old: str, new: str, file: str, origin: Path, line: int) -> Hunk:
    """The hunk that makes one text of another. It begins at a line with a label."""
    before, after = old.splitlines(), new.splitlines()
    first, last = difference(before, after)
    while not (match := _LABEL.match(before[first])):
        first -= 1
    body = [("-", text) for text in before[first : len(before) - last]]
    body += [("+", text) for text in after[first : len(after) - last]]
    return Hunk(file, match[1], origin, line, tuple(body))


def difference(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """The numbers of equal lines at the begin and at the end of two texts that differ."""
    first = next(n for n, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1])
    ending = zip(reversed(before), reversed(after), strict=False)
    last = next(n for n, pair in enumerate(ending) if pair[0] != pair[1])
    return first, min(last, len(before) - first, len(after) - first)


# -- the code


def lines_of(code: str) -> list[Line]:
    """The labelled lines of Python, in order. The end of a ``with`` is a line of its own."""
    marks = labels.of_source(code)
    texts = code.splitlines()
    out: list[Line] = []
    around: list[tuple[int, str, str]] = []
    rest: list[str] = []

    def end(margin: int) -> None:
        while around and around[-1][0] >= margin:
            _, _, unlock = around.pop()
            if unlock:
                add(unlock, "unlock", "unlock")

    def add(label: str, text: str, kind: str) -> None:
        within = tuple(head for _, head, _ in around if head)
        if out:
            out[-1] = replace(out[-1], rest=tuple(rest))
        rest.clear()
        out.append(Line(label, f"{kind}: {text}", within, ()))

    for number, whole in enumerate(texts, 1):
        text = _COMMENT.sub("", whole).strip() if number in marks else whole.strip()
        if not text or text.startswith("#"):
            continue
        margin = len(whole) - len(whole.lstrip())
        end(margin)
        kinds = marks.get(number, {})
        for kind, label in kinds.items():
            if kind != "unlock" or not text.startswith("with "):
                add(label, text, kind)
        if not kinds:
            rest.append(text)
        if text.startswith(("if ", "while ", "with ", "else", "elif ", "for ", "try", "def ")):
            unlock = kinds.get("unlock", "") if text.startswith("with ") else ""
            around.append((margin, "" if text.startswith(("with ", "def ")) else text, unlock))
    end(0)
    if out:
        out[-1] = replace(out[-1], rest=tuple(rest))
    return out


# -- the specification


def _locks_dropped(before: str, after: str) -> frozenset[str]:
    """The locks, as ``self.lock``, that exclude no thread after a change."""
    pairs = (set(_CREATED.findall(text)) for text in (before, after))
    old, new = (dict(pair) for pair in pairs)
    return frozenset(name for name, sort in new.items() if sort == "NoMonitor" != old.get(name))


def _change(
    text: str, before: Sequence[Line], after: Sequence[Line], locks_dropped: frozenset[str]
) -> str:
    """The specification as the code was changed. Raises Unlike."""
    old, new = {line.label: line for line in before}, {line.label: line for line in after}
    if additions := [label for label in new if label not in old]:
        raise Unlike(f"it has the step {additions[0]}, which the code does not have")
    result = text.splitlines()
    different = [label for label, line in new.items() if line.text != old[label].text]
    if sources := _exchange(different, old, new):
        result = _in_other_places(result, sources)
    else:
        for label in different:
            result = _restate(result, label, old[label].text, new[label].text)
    if locks_dropped:
        result = _without_locks(result, before, locks_dropped)
    removals = [label for label in old if label not in new]
    for label in removals:
        if old[label].rest and not _follows(old, label, new):
            raise Unlike(f"{label} is left out, and the lines behind it change, too")
        result = _without(result, label)[0]
    common = [label for label in old if label in new]
    for label in _move(common, list(new)):
        order = list(new)
        place = order.index(label)
        if place == 0:
            raise Unlike(f"{label} moves in front of all other steps")
        anchor = order[place - 1]
        if new[label].within != new[anchor].within:
            raise Unlike(f"{label} moves into another block than {anchor}")
        result, lines = _without(result, label)
        at = _last(result, anchor)
        result[at:at] = lines
    if result == text.splitlines():
        raise Unlike("no step of it changes")
    return "\n".join(result) + "\n"


def _exchange(
    different: Sequence[str], old: dict[str, Line], new: dict[str, Line]
) -> dict[str, str]:
    """Label -> the label that had its statement before; empty where some statement is new."""
    by_text = {old[label].text: label for label in different}
    if {new[label].text for label in different} != set(by_text) or len(by_text) < len(different):
        return {}
    return {label: by_text[new[label].text] for label in different}


def _in_other_places(lines: Sequence[str], sources: dict[str, str]) -> list[str]:
    """The lines with the statements of some labels at others. Raises Unlike."""
    places = {label: (_place(lines, label), _last(lines, label)) for label in sources}
    blocks: dict[str, list[str]] = {}
    for label, source in sources.items():
        first, *rest = _without(lines, source)[1]
        blocks[label] = [re.sub(rf"\b{source}:", f"{label}:", first, count=1), *rest]
    result = list(lines)
    for label, (begin, end) in sorted(places.items(), key=lambda item: -item[1][0]):
        result[begin:end] = blocks[label]
    return result


def _without_locks(
    lines: Sequence[str], before: Sequence[Line], locks_dropped: frozenset[str]
) -> list[str]:
    """The lines in which the steps of some locks do nothing. Raises Unlike."""
    result, owners = list(lines), set[str]()
    steps = [
        line
        for line in before
        if any(re.search(rf"{re.escape(lock)}\b", line.text) for lock in locks_dropped)
    ]
    for line in steps:
        first, last = _place(result, line.label), _last(result, line.label)
        if match := _TAKEN.search(" ".join(result[first:last])):
            owners.add(match[1])
            result[first:last] = [f"{line.label}: skip;"]
    if len(owners) != 1:
        raise Unlike(f"the steps of {', '.join(locks_dropped)} have no variable with the owner")
    (owner,) = owners
    for number, text in enumerate(result):
        if "BEGIN TRANSLATION" in text:
            break
        if match := re.match(rf"(\s*\w+: *|\s*){owner} := NULL;$", text):
            result[number] = f"{match[1]}skip;"
    return result


def _follows(old: dict[str, Line], label: str, new: dict[str, Line]) -> bool:
    """Whether the lines behind a step that is left out stand behind the step before it."""
    names = list(old)
    place = names.index(label)
    before = new.get(names[place - 1]) if place else None
    return before is not None and set(old[label].rest) <= set(before.rest)


def _move(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The fewest steps that move, where one does. Raises Unlike for several."""
    if list(old) == list(new):
        return []
    for label in old:
        rest = [name for name in old if name != label]
        if rest == [name for name in new if name != label]:
            return [label]
    raise Unlike("several steps move")


def _place(lines: Sequence[str], label: str) -> int:
    """The number of a label's line. Raises Unlike where it is not there once."""
    places = [n for n, line in enumerate(lines) if (m := _LABEL.match(line)) and m[1] == label]
    if len(places) != 1:
        raise Unlike(f"the specification has the label {label} {len(places)} times")
    return places[0]


def _last(lines: Sequence[str], label: str) -> int:
    """The number of the line behind a step's own statements."""
    at = _place(lines, label) + 1
    while not _LABEL.match(lines[at]) and not _CONTROL.match(lines[at].strip()):
        at += 1
    return at


def _without(lines: Sequence[str], label: str) -> tuple[list[str], list[str]]:
    """The lines without a step of plain statements, and its lines. Raises Unlike."""
    first, last = _place(lines, label), _last(lines, label)
    statement = lines[first].partition(":")[2].strip()
    if _CONTROL.match(statement):
        raise Unlike(f"{label} is no plain step of the specification")
    opens = lines[first - 1].rstrip().endswith((" then", " do", "else"))
    closes = lines[last].strip().startswith(("end ", "else", "elsif "))
    filler = ["skip;"] if opens and closes else []
    return [*lines[:first], *filler, *lines[last:]], list(lines[first:last])


def _restate(lines: Sequence[str], label: str, old: str, new: str) -> list[str]:
    """The lines with another statement at a label. Raises Unlike."""
    first, last = _place(lines, label), _last(lines, label)
    result = list(lines)
    if (old.replace("notify_all()", "notify()"), new.replace("notify_all()", "notify()")) == (
        new.replace("notify_all()", "notify()"),
    ) * 2:
        wide, narrow = (_ALL, r"Notified(\1, 1)"), (_SOME, r"NotifiedAll(\1)")
        pattern, value = wide if "notify_all()" in old else narrow
        block = [pattern.sub(value, line) for line in lines[first:last]]
        if block != list(lines[first:last]):
            result[first:last] = block
            return result
    if old.replace(": while ", ": if ") == new:
        result[first] = re.sub(r"\bwhile\b(.*)\bdo$", r"if\1then", lines[first].rstrip())
        end = _end_of_loop(lines, first)
        result[end] = lines[end].replace("end while", "end if")
        return result
    if old.replace(": with ", ": ").rstrip(":") == new.replace(".acquire()", ""):
        return result
    raise Unlike(f"{label} becomes {new.partition(': ')[2]!r}")


def _end_of_loop(lines: Sequence[str], first: int) -> int:
    """The line that ends the loop of a line."""
    depth = 0
    for number in range(first, len(lines)):
        statement = _LABEL.sub("", lines[number]).strip()
        depth += statement.startswith("while ") - statement.startswith("end while")
        if depth == 0:
            return number
    raise Unlike(f"the loop of line {first + 1} has no end")
