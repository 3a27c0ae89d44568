"""The table of theorems as Markdown: each with its premises and the solvers' answers.

It holds no times and no exact resource counts, so that it changes only where a theorem or its
outcome does.
"""

from collections.abc import Sequence

from wheelproof.checks.context import count_of
from wheelproof.checks.prove import Declared
from wheelproof.report.review import escape
from wheelproof.verdict import Figures, Row, Verdict

_HEAD = """# Theorems

Made by `wheelproof prove --profile nightly --table`; do not edit. Each theorem holds for every
size.

*Conditions* is the number of verification conditions. For each of them the premises are
satisfiable, the first solver refutes the negated goal with every seed, and so does the second.
*Certificates* is for how many of them the second solver's proof is accepted by a program of its own
([certificates](proofs.md#certificates)). *Resources* is the most that one of them took, in the
first solver's units, rounded up. A *control* is the theorem with one fault, and has a
counterexample. [Assumptions](../proofs/ASSUMPTIONS.md) explains the ids of assumptions and names
the solvers.
"""


def render(theorems: Sequence[Declared], rows: Sequence[Row]) -> str:
    """The whole document. ``rows``: of a run; a theorem without one is shown as not run."""
    outcome = {(row.mechanism, row.name): row for row in rows if row.layer == "proof"}
    parts = [_HEAD]
    for theory in dict.fromkeys(item.theory for item in theorems):
        own_theorems = [item for item in theorems if item.theory == theory]
        parts.append(f"\n## {escape(theory)} (mechanism `{own_theorems[0].mechanism}`)\n")
        main, lemmas = (
            [item for item in own_theorems if not item.is_lemma],
            [item for item in own_theorems if item.is_lemma],
        )
        if main:
            parts.append(
                "\n| theorem | says | rests on | assumes | conditions | first solver | second "
                "| certificates | resources |\n|---|---|---|---|---:|---|---|---|---:|\n"
            )
            parts += [_line(item, outcome.get((item.mechanism, item.name)), True) for item in main]
            parts.append("\nControls:\n\n")
            parts += [
                f"* **{escape(item.name)}** {escape(control)}\n"
                for item in main
                for control in item.controls
            ]
        if lemmas:
            parts.append(
                "\n| lemma | says | conditions | first solver | second | certificates "
                "| resources |\n|---|---|---:|---|---|---|---:|\n"
            )
            parts += [
                _line(item, outcome.get((item.mechanism, item.name)), False) for item in lemmas
            ]
    return "".join(parts)


def _line(item: Declared, row: Row | None, whole: bool) -> str:
    figures: Figures = row.figures if row else {}
    first = [f"**{escape(item.name)}**", escape(item.says)]
    if whole:
        first += [escape(", ".join(item.rests_on)), escape(", ".join(item.assumes))]
    return "| " + " | ".join([*first, *_outcome(item, row, figures)]) + " |\n"


def _outcome(item: Declared, row: Row | None, figures: Figures) -> list[str]:
    if row is None:
        return ["", "not run", "", "", ""]
    verdict = (
        f"{row.verdict}, {count_of(figures['seeds'], 'seed')}"
        if row.ok
        else f"**{row.verdict if row.verdict != Verdict.PROVED else 'not in order'}**"
    )
    return [
        str(figures.get("vcs", "")),
        verdict,
        str(figures.get("second", "")),
        _certificates(item, figures),
        at_most(figures.get("rlimit_max", 0)),
    ]


def _certificates(item: Declared, figures: Figures) -> str:
    if "certificates" in figures:
        return f"{figures['certificates']} of {figures.get('vcs', 0)}"
    return "not run" if item.certified else "none"


def at_most(count: int) -> str:
    """The count rounded up to 1, 2 or 5 times a power of ten: a bound for any machine."""
    bound = next(
        digit * 10**power
        for power in range(30)
        for digit in (1, 2, 5)
        if digit * 10**power >= count
    )
    return f"{bound:,}"
