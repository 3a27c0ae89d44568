"""The characters of a counterexample's picture on the terminal."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Glyphs:
    """The characters that the picture is drawn with."""

    column: str
    rule: str
    arrow: str
    loop: tuple[str, str, str, str]  # first step, between, last step, the only step
    more: str
    down: str
    back: str  # the end of a line that leads back to the first one

    def all(self) -> str:
        """Every character in use, to be tried on an encoding."""
        every = (self.column, self.rule, self.arrow, *self.loop, self.more, self.down, self.back)
        return "".join(every)


UNICODE = Glyphs("│", "╌", "→", ("╭", "│", "╰", "⟳"), "…", "↓", "──╯")
ASCII = Glyphs("|", "-", "->", (".", "|", "'", "@"), "...", "v", "--'")
