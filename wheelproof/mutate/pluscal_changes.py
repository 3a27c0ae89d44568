"""Changes of a TLA+ module: of its PlusCal algorithm's steps, and of all expressions.

The translation between its markers is left alone: it is made anew from the changed algorithm. So
are comments, ASSUMEs (they guard the scenarios' data, not the machine) and the names in
declarations.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from wheelproof.mutate.change import Change, Edit, applied, distinct

TOKEN = re.compile(
    r"""
    (?P<comment>\\\*[^\n]*|\(\*(?!-)(?:[^*(]|\*(?!\))|\((?!\*))*\*\))
  | (?P<rule>-{2,}(?:\s*MODULE\s+\w+\s*-{2,})?|={4,})
  | (?P<text>"[^"\n]*")
  | (?P<number>\b\d+\b)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<symbol>
        :=|==|=>|<=>|\|->|<<|>>|\\[A-Za-z]+|/\\|\\/|<=|>=|=<|\.\.|\#|/=|->|<-|\[\]|<>|~>
      | [-+*<>=~'()\[\]{},;:.|&!@^\\]
    )
""",
    re.VERBOSE,
)
ALGORITHM = re.compile(r"--(?:fair\s+)?algorithm\b.*?end\s+algorithm", re.DOTALL)
TRANSLATION = re.compile(
    r"^\\\* BEGIN TRANSLATION.*?^\\\* END TRANSLATION[^\n]*$", re.MULTILINE | re.DOTALL
)
DEFINITION = re.compile(r"^(\w+)(?:\([^)\n]*\))?\s*==", re.MULTILINE)
SKIPPED = re.compile(
    r"^(?:ASSUME|CONSTANTS?|VARIABLES?|EXTENDS|INSTANCE|LOCAL|THEOREM)\b", re.MULTILINE
)

SYMBOLS = {
    "=": ("#",),
    "#": ("=",),
    "/=": ("=",),
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    "=<": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "+": ("-",),
    "-": ("+",),
    "/\\": ("\\/",),
    "\\/": ("/\\",),
    "\\cup": ("\\cap",),
    "\\union": ("\\cap",),
    "\\cap": ("\\cup",),
    "\\notin": ("\\in",),
    "\\in": ("\\notin",),
    "\\E": ("\\A",),
    "\\A": ("\\E",),
    "\\div": ("*",),
    "%": ("\\div",),
    "=>": ("/\\",),
    "~": ("",),
}
WORDS = {"TRUE": "FALSE", "FALSE": "TRUE"}
BINDERS = ("\\E", "\\A", "CHOOSE", "with")


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


def opens(token: Token) -> bool:
    """Whether an expression begins after the token: then /\\ or \\/ is a bullet, not infix."""
    if token.kind == "symbol":
        return token.text not in (")", "]", "}", ">>", "'", "@")
    return token.kind == "word" and token.text in (
        "IF",
        "THEN",
        "ELSE",
        "CASE",
        "OTHER",
        "LET",
        "IN",
        "when",
        "await",
        "with",
    )


class Source:
    """A TLA+ text, its tokens, and where its algorithm is."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = ALGORITHM.search(text)
        self.algorithm = found.span() if found else (0, 0)
        translation = TRANSLATION.search(text)
        self.translation = translation.span() if translation else (0, 0)
        self.tokens = [
            Token(m.lastgroup, m.group(), m.start(), m.end())
            for m in TOKEN.finditer(text[: self.algorithm[0]])
        ]
        self.tokens += [
            Token(m.lastgroup, m.group(), m.start(), m.end())
            for m in TOKEN.finditer(text, *self.algorithm)
        ]
        after = max(self.algorithm[1], self.translation[1])
        self.tokens += [
            Token(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(text, after)
        ]
        self.tokens = [token for token in self.tokens if token.kind not in ("comment", "rule")]
        self.inside = [
            number
            for number, token in enumerate(self.tokens)
            if self.algorithm[0] <= token.start < self.algorithm[1]
        ]

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def place(self, offset: int) -> tuple[str, str]:
        """(name, text) of the procedure, macro, process or definition around an offset."""
        if self.algorithm[0] <= offset < self.algorithm[1]:
            heads = re.compile(
                r"^[ \t]*(?:fair\+?\s+)?(?:procedure|macro|process)\s*\(?\s*(\w+)", re.MULTILINE
            )
            within, end = self.algorithm[0], self.algorithm[1]
        else:
            heads, within, end = DEFINITION, 0, len(self.text)
        name, start = "declarations", within
        for head in heads.finditer(self.text, within, end):
            if head.start() > offset:
                end = head.start()
                break
            name, start = head[1], head.start()
        return name, self.text[start:end]


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

    def found(self) -> Iterator[tuple[str, list[Edit]]]:
        statements = list(self.statements())
        for first, last in statements:
            yield from self.statement(first, last)
        for (first, last), (begin, end) in itertools.pairwise(statements):
            yield from self.swapped(first, last, begin, end)
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

    def swapped(
        self, first: int, last: int, begin: int, end: int
    ) -> Iterator[tuple[str, list[Edit]]]:
        """Two neighbouring statements, each in a step of its own, change places."""
        between = [token.text for token in self.tokens[last + 1 : begin]]
        apart = len(between) == 2 and between[1] == ":"
        one, two = self.text(first, last), self.text(begin, end)
        if (
            apart
            and one != two
            and not one.startswith(("goto", "return"))
            and not two.startswith(("goto", "return"))
        ):
            yield (
                "step.swap",
                [
                    Edit(self.tokens[first].start, self.tokens[last].start, two),
                    Edit(self.tokens[begin].start, self.tokens[end].start, one),
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
                    other
                    for other in self.source.inside[position:]
                    if self.tokens[other].text == closing[token.text]
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


class Expressions:
    """The changes of constants, operators and names, in the algorithm and in definitions."""

    def __init__(self, source: Source) -> None:
        self.source, self.tokens = source, source.tokens
        self.groups = list(self._declared())
        self.bullets = self._bullets()

    def _declared(self) -> Iterator[list[str]]:
        """Names to exchange: variables of one declaration, parameters, macros, procedures."""
        text = self.source.text[slice(*self.source.algorithm)]
        text = re.sub(r"\\\*[^\n]*", "", text)
        for head in re.finditer(
            r"\b(?:procedure|macro)\s+\w+\s*\(([^)]*)\)\s*(?:variables?\s(.*?))?begin",
            text,
            re.DOTALL,
        ):
            yield re.findall(r"(\w+)\s*(?:=|,|$)", head[1]) + re.findall(
                r"(\w+)\s*=", head[2] or ""
            )
        if head := re.search(
            r"^\s*variables?\s(.*?)^(?:macro|procedure|define|fair|process)",
            text,
            re.DOTALL | re.MULTILINE,
        ):
            yield re.findall(r"^\s*(\w+)\s*=(?!=)", head[1], re.MULTILINE)
        for kind in ("macro", "procedure"):
            arity: dict[int, list[str]] = {}
            for head in re.finditer(rf"\b{kind}\s+(\w+)\s*\(([^)]*)\)", text):
                arity.setdefault(head[2].count(",") + bool(head[2].strip()), []).append(head[1])
            yield from arity.values()

    def found(self) -> Iterator[tuple[str, list[Edit]]]:
        skipped = self._skipped()
        within = self.source.algorithm
        binder = 0
        for number, token in enumerate(self.tokens):
            if any(start <= token.start < end for start, end in skipped):
                continue
            in_algorithm = within[0] <= token.start < within[1]
            before = self.tokens[number - 1].text if number else ""
            after = self.tokens[number + 1].text if number + 1 < len(self.tokens) else ""
            if token.text in BINDERS:
                binder = token.start
            if token.kind == "number":
                value = int(token.text)
                for other in {value + 1, value - 1} - {-1}:
                    yield "constant", [Edit(token.start, token.end, str(other))]
            elif token.kind == "word" and token.text in WORDS:
                yield "constant", [Edit(token.start, token.end, WORDS[token.text])]
            elif (
                token.kind == "word"
                and in_algorithm
                and after not in (":", ":=")
                and before not in ("procedure", "macro", "process", ".")
                and not (after in ("=", "\\in") and self._declares(number + 1))
            ):
                yield from self.name(token, after)
            elif token.kind == "symbol" and token.text in SYMBOLS:
                if (
                    token.text == "\\in"
                    and self._bound(number, binder)
                    or token.text == "="
                    and self._declares(number)
                ):
                    continue
                if token.text == "-" and before in ("", "(", ",", "=", "==", "<<", "|->"):
                    continue
                if number in self.bullets:
                    if len(self.bullets[number]) > 1 and number == self.bullets[number][0]:
                        yield (
                            "operator",
                            [
                                Edit(each.start, each.end, SYMBOLS[token.text][0])
                                for each in map(self.tokens.__getitem__, self.bullets[number])
                            ],
                        )
                    continue
                operator = (
                    "comparison"
                    if token.text in ("=", "#", "/=", "<", "<=", "=<", ">", ">=", "\\in", "\\notin")
                    else "operator"
                )
                for other in SYMBOLS[token.text]:
                    yield operator, [Edit(token.start, token.end, other)]

    def _bullets(self) -> dict[int, list[int]]:
        """Numbers of the tokens that are bullets of a junction list -> those of the whole list.

        One bullet alone cannot be changed: as the first it makes the same list or none, as another
        it ends the list.
        """
        found: dict[int, list[int]] = {}
        text, tokens = self.source.text, self.tokens

        def column(token: Token) -> int:
            return token.start - (text.rfind("\n", 0, token.start) + 1)

        first = [
            not text[text.rfind("\n", 0, token.start) + 1 : token.start].strip() for token in tokens
        ]
        for number, token in enumerate(tokens):
            before = tokens[number - 1] if number else None
            if (
                token.text not in ("/\\", "\\/")
                or number in found
                or before is None
                or not opens(before)
            ):
                continue
            members, place = [number], column(token)
            for other in range(number + 1, len(tokens)):
                if first[other] and column(tokens[other]) <= place:
                    if column(tokens[other]) < place or tokens[other].text != token.text:
                        break
                    members.append(other)
            found |= dict.fromkeys(members, members)
        return found

    def _skipped(self) -> list[tuple[int, int]]:
        """Paragraphs without definitions: ASSUME and others, up to an empty line or definition."""
        out = []
        for head in SKIPPED.finditer(self.source.text):
            ends = [
                found.start()
                for pattern in (r"^\s*$", r"^----", r"^\(\*", r"^\w+[^\n]*==")
                if (
                    found := re.compile(pattern, re.MULTILINE).search(
                        self.source.text, head.end() + 1
                    )
                )
            ]
            own = re.compile(r"ASSUME\s+\w+\s*==").match(self.source.text, head.start())
            if own:  # a named ASSUME is a definition by its looks
                ends = [
                    found.start()
                    for pattern in (r"^\s*$", r"^----", r"^ASSUME")
                    if (
                        found := re.compile(pattern, re.MULTILINE).search(
                            self.source.text, own.end()
                        )
                    )
                ]
            out.append((head.start(), min(ends, default=len(self.source.text))))
        return out

    def _bound(self, number: int, binder: int) -> bool:
        """Whether `\\in` binds the name before it, as in a quantifier, function, set or process."""
        for token in reversed(self.tokens[max(0, number - 12) : number]):
            if token.text in (*BINDERS, "process", "[", "{"):
                return True
            if token.kind != "word" and token.text != ",":
                return False
        return False

    def _declares(self, number: int) -> bool:
        """Whether `=` gives a variable or a parameter its first value."""
        token = self.tokens[number]
        if not self.source.algorithm[0] <= token.start < self.source.algorithm[1]:
            return False
        line = self.source.text[self.source.text.rfind("\n", 0, token.start) + 1 : token.start]
        head = re.search(r"\b(procedure|macro)\b[^\n]*$|\bvariables?\b[^\n;]*$", line)
        if head:
            return True
        name = self.tokens[number - 1].text
        return bool(re.fullmatch(r"\s*(?:variables?\s+)?" + re.escape(name) + r"\s*", line))

    def name(self, token: Token, after: str) -> Iterator[tuple[str, list[Edit]]]:
        for group in self.groups:
            if token.text in group and len(group) > 1:
                other = group[(group.index(token.text) + 1) % len(group)]
                yield "name", [Edit(token.start, token.end, other)]
                return


def changes(text: str, file: str, artefact: str = "spec") -> list[Change]:
    """Every change of a module, in the order of its lines."""
    source = Source(text)
    steps = Steps(source).found() if source.algorithm[1] else ()
    out = []
    for operator, edits in (*steps, *Expressions(source).found()):
        at = min(edit.start for edit in edits)
        out.append(
            Change(
                artefact,
                file,
                source.line(at),
                source.place(at)[0],
                operator,
                text,
                applied(text, edits),
                source.place(at)[1],
            )
        )
    return distinct(out)


def planted(text: str, file: str, artefact: str = "spec") -> tuple[Change | None, Change]:
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
    writes = [each for each in steps.statements() if ":=" in steps.text(*each)]
    for first, last in sorted(writes, key=lambda each: not steps.labelled(each[0])):
        start, end = source.tokens[first].start, source.tokens[last].start
        place, scope = source.place(start)
        fault = applied(text, [Edit(start, end, "skip")])
        return Change(
            artefact, file, source.line(start), place, "control.rejected", text, fault, scope
        ), harmless
    return None, harmless
