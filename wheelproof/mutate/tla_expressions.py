"""Changes of expressions in a TLA+ module, in its algorithm and in its definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wheelproof.mutate.change import Edit
from wheelproof.mutate.tla_source import SKIPPED, Source, Token, opens

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


class Expressions:
    """The changes of constants, operators and names, in the algorithm and in definitions."""

    def __init__(self, source: Source) -> None:
        self.source, self.tokens = source, source.tokens
        self.groups = list(self._declarations())
        self.bullets = self._bullets()

    def _declarations(self) -> Iterator[list[str]]:
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
        if match := re.search(
            r"^\s*variables?\s(.*?)^(?:macro|procedure|define|fair|process)",
            text,
            re.DOTALL | re.MULTILINE,
        ):
            yield re.findall(r"^\s*(\w+)\s*=(?!=)", match[1], re.MULTILINE)
        for kind in ("macro", "procedure"):
            arity: dict[int, list[str]] = {}
            for head in re.finditer(rf"\b{kind}\s+(\w+)\s*\(([^)]*)\)", text):
                arity.setdefault(head[2].count(",") + bool(head[2].strip()), []).append(head[1])
            yield from arity.values()

    def changes(self) -> Iterator[tuple[str, list[Edit]]]:
        ranges = self._gaps()
        within = self.source.algorithm
        binder = 0
        for number, token in enumerate(self.tokens):
            if any(start <= token.start < end for start, end in ranges):
                continue
            in_algorithm = within[0] <= token.start < within[1]
            before = self.tokens[number - 1].text if number else ""
            after = self.tokens[number + 1].text if number + 1 < len(self.tokens) else ""
            if token.text in BINDERS:
                binder = token.start
            if token.kind == "number":
                value = int(token.text)
                for number_ in {value + 1, value - 1} - {-1}:
                    yield "constant", [Edit(token.start, token.end, str(number_))]
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
                                Edit(bullet.start, bullet.end, SYMBOLS[token.text][0])
                                for bullet in map(self.tokens.__getitem__, self.bullets[number])
                            ],
                        )
                    continue
                operator = (
                    "comparison"
                    if token.text in ("=", "#", "/=", "<", "<=", "=<", ">", ">=", "\\in", "\\notin")
                    else "operator"
                )
                for symbol in SYMBOLS[token.text]:
                    yield operator, [Edit(token.start, token.end, symbol)]

    def _bullets(self) -> dict[int, list[int]]:
        """Numbers of the tokens that are bullets of a junction list -> those of the whole list.

        One bullet alone cannot be changed: as the first it makes the same list or none, as another
        it ends the list.
        """
        groups: dict[int, list[int]] = {}
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
                or number in groups
                or before is None
                or not opens(before)
            ):
                continue
            members, place = [number], column(token)
            for position in range(number + 1, len(tokens)):
                if first[position] and column(tokens[position]) <= place:
                    if column(tokens[position]) < place or tokens[position].text != token.text:
                        break
                    members.append(position)
            groups |= dict.fromkeys(members, members)
        return groups

    def _gaps(self) -> list[tuple[int, int]]:
        """Paragraphs without definitions: ASSUME and others, up to an empty line or definition."""
        out = []
        for head in SKIPPED.finditer(self.source.text):
            ends = [
                match.start()
                for pattern in (r"^\s*$", r"^----", r"^\(\*", r"^\w+[^\n]*==")
                if (
                    match := re.compile(pattern, re.MULTILINE).search(
                        self.source.text, head.end() + 1
                    )
                )
            ]
            name_match = re.compile(r"ASSUME\s+\w+\s*==").match(self.source.text, head.start())
            if name_match:  # a named ASSUME is a definition by its looks
                ends = [
                    match.start()
                    for pattern in (r"^\s*$", r"^----", r"^ASSUME")
                    if (
                        match := re.compile(pattern, re.MULTILINE).search(
                            self.source.text, name_match.end()
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
                operator = group[(group.index(token.text) + 1) % len(group)]
                yield "name", [Edit(token.start, token.end, operator)]
                return
