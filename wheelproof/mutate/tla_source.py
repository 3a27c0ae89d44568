"""A TLA+ text as tokens, for the operators of changes."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
        match = ALGORITHM.search(text)
        self.algorithm = match.span() if match else (0, 0)
        translation = TRANSLATION.search(text)
        self.translation = translation.span() if translation else (0, 0)
        after = max(self.algorithm[1], self.translation[1])
        self.tokens = [
            Token(m.lastgroup or "", m.group(), m.start(), m.end())
            for start, end in ((0, self.algorithm[0]), self.algorithm, (after, len(text)))
            for m in TOKEN.finditer(text, start, end)
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
