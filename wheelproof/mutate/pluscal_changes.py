"""Changes of a TLA+ module: of its PlusCal algorithm's steps, and of all expressions.

The translation between its markers is left alone: it is made anew from the changed algorithm. So
are comments, ASSUMEs (they guard the scenarios' data, not the machine) and the names in
declarations.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from wheelproof.mutate.change import Change, Edit, apply, distinct
from wheelproof.mutate.tla_expressions import Expressions
from wheelproof.mutate.tla_source import Source


class Steps:
    """The changes of the algorithm's statements."""

    def __init__(self, source: Source) -> None:
        self.source, self.tokens = source, source.tokens
        self.labels = self._labels()

    def _labels(self) -> list[tuple[str, int]]:
        """(label, index of its token) in the algorithm: a name, a colon, and no `:=`."""
        out = []
        for number in self.source.inside[:-1]:
            token, after = self.tokens[number], self.tokens[number + 1]
            if (
                token.kind == "word"
                and re.fullmatch(r"[A-Z][A-Za-z]*\d+", token.text)
                and after.text == ":"
            ):
                out.append((token.text, number))
        return out

    def changes(self) -> Iterator[tuple[str, list[Edit]]]:
        statements = list(self.statements())
        for first, last in statements:
            yield from self.statement(first, last)
        for (first, last), (begin, end) in itertools.pairwise(statements):
            yield from self.swap(first, last, begin, end)
        yield from self.heads()

    def statements(self) -> Iterator[tuple[int, int]]:
        """(index of the first token, index of the semicolon) of each simple statement of a body."""
        within = False
        start = None
        depth = 0
        for number in self.source.inside:
            text = self.tokens[number].text
            if text in ("begin", "then", "else", "do", "or", "either"):
                within, start, depth = True, None, 0
                continue
            if text in ("procedure", "macro", "process", "variables", "variable", "define"):
                within = False
            if not within:
                continue
            if start is None:
                if (
                    text in ("end", "if", "elsif", "while", "with", "either", ";")
                    or self._label_at(number)
                    or text == ":"
                ):
                    if text in ("if", "elsif", "while", "with"):
                        within = False  # a head: its condition is no statement
                    continue
                start, depth = number, 0
            depth += text in ("(", "[", "{", "<<")
            depth -= text in (")", "]", "}", ">>")
            if text == ";" and depth == 0:
                yield start, number
                start = None

    def _label_at(self, number: int) -> bool:
        return any(number == at for _, at in self.labels)

    def text(self, first: int, last: int) -> str:
        return self.source.text[self.tokens[first].start : self.tokens[last].start]

    def labelled(self, number: int) -> bool:
        """Whether a statement is the first of its step."""
        return number >= 2 and self.tokens[number - 1].text == ":" and self._label_at(number - 2)

    def statement(self, first: int, last: int) -> Iterator[tuple[str, list[Edit]]]:
        start, end = self.tokens[first].start, self.tokens[last].start
        text = self.text(first, last)
        if text.strip() == "skip":
            return
        yield "step.drop", [Edit(start, end, "skip")]
        if text.startswith("await"):
            return
        if text.startswith("goto"):
            here, around = text.split()[1], self.source.place(start)[0]
            names = [
                name
                for name, at in self.labels
                if self.source.place(self.tokens[at].start)[0] == around
            ]
            if here in names:
                yield (
                    "flow.goto",
                    [Edit(start, end, f"goto {names[(names.index(here) + 1) % len(names)]}")],
                )
            return
        if not text.startswith("return") and self.labelled(first):
            yield "flow.return", [Edit(start, end, "return")]
        if ":=" not in text and not text.startswith(("call", "return", "goto")):
            yield "step.duplicate", [Edit(end, end, f"; {text}")]

    def swap(self, first: int, last: int, begin: int, end: int) -> Iterator[tuple[str, list[Edit]]]:
        """Two neighbouring statements, each in a step of its own, change places."""
        between = [token.text for token in self.tokens[last + 1 : begin]]
        apart = len(between) == 2 and between[1] == ":"
        first_text, two = self.text(first, last), self.text(begin, end)
        if (
            apart
            and first_text != two
            and not first_text.startswith(("goto", "return"))
            and not two.startswith(("goto", "return"))
        ):
            yield (
                "step.swap",
                [
                    Edit(self.tokens[first].start, self.tokens[last].start, two),
                    Edit(self.tokens[begin].start, self.tokens[end].start, first_text),
                ],
            )

    def heads(self) -> Iterator[tuple[str, list[Edit]]]:
        """Conditions of if, elsif, while and await, and the fairness of processes."""
        closing = {"if": "then", "elsif": "then", "while": "do", "await": ";", "when": ";"}
        for position, number in enumerate(self.source.inside):
            token = self.tokens[number]
            if token.text == "fair" and self.tokens[number + 1].text == "process":
                yield "fairness", [Edit(token.start, token.end, "")]
            if (
                token.text not in closing
                or token.text == "if"
                and self.tokens[number - 1].text == "end"
            ):
                continue
            close = next(
                (
                    label
                    for label in self.source.inside[position:]
                    if self.tokens[label].text == closing[token.text]
                ),
                None,
            )
            if close is None:
                continue
            start, end = self.tokens[number + 1].start, self.tokens[close - 1].end
            test = self.source.text[start:end]
            if token.text != "await":
                yield "condition.negate", [Edit(start, end, f"~({test})")]
            for value in ("TRUE", "FALSE"):
                if not (token.text == "while" and value == "TRUE"):
                    yield "condition.constant", [Edit(start, end, value)]


def changes(text: str, file: str, artefact: str = "spec") -> list[Change]:
    """Every change of a module, in the order of its lines."""
    source = Source(text)
    steps = Steps(source).changes() if source.algorithm[1] else ()
    out = []
    for operator, edits in (*steps, *Expressions(source).changes()):
        at = min(edit.start for edit in edits)
        out.append(
            Change(
                artefact,
                file,
                source.line(at),
                source.place(at)[0],
                operator,
                text,
                apply(text, edits),
                source.place(at)[1],
            )
        )
    return distinct(out)


def plant(text: str, file: str, artefact: str = "spec") -> tuple[Change | None, Change]:
    """(a change that every check must reject, one that none may reject), as for Python files.

    The first takes the first assignment, of a labelled step where there is one, out of the
    algorithm; the second adds a definition that nothing uses.
    """
    source = Source(text)
    at = text.rindex("====")
    at = text.rindex("\n", 0, at) + 1
    harmless = Change(
        artefact,
        file,
        source.line(at),
        "module",
        "control.equivalent",
        text,
        f"{text[:at]}PlantedAndUnused == TRUE\n{text[at:]}",
        "",
    )
    steps = Steps(source)
    writes = [write for write in steps.statements() if ":=" in steps.text(*write)]
    for first, last in sorted(writes, key=lambda write: not steps.labelled(write[0])):
        start, end = source.tokens[first].start, source.tokens[last].start
        place, scope = source.place(start)
        fault = apply(text, [Edit(start, end, "skip")])
        return Change(
            artefact, file, source.line(start), place, "control.rejected", text, fault, scope
        ), harmless
    return None, harmless
