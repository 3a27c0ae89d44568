"""Whether the evidence of a proof is complete: its verdict is not taken at its word."""

from __future__ import annotations

from wheelproof.verdict import Figures, Verdict


def defect(verdict: str, figures: Figures, seeds: int, is_lemma: bool, links: int = 0) -> str:
    """The part that a proof lacks; "" where it is complete."""
    if verdict != Verdict.PROVED:
        return ""
    if figures.get("vcs", 0) < 1:
        return "no verification condition was checked"
    if figures.get("seeds", 0) < seeds:
        return f"it was checked with {figures.get('seeds', 0)} seeds, not {seeds}"
    if figures.get("second") != "unsat":
        return f"the second solver does not agree: it says {figures.get('second', 'nothing')}"
    if figures.get("links", 0) < links:
        return (
            f"it rests on {links} theorems, and needs {figures.get('links', 0)} of them: a link "
            "may be a label only"
        )
    if not is_lemma and figures.get("controls", 0) < 1:
        return "no control was refuted: nothing shows that the check can fail"
    return ""


def unnoticed(verdict: str, figures: Figures, seeds: int, is_lemma: bool, links: int = 0) -> str:
    """The controls of ``defect``: the parts without which it takes a proof; "" for none.

    Each part is left out of the figures, and the second solver answers otherwise.
    """
    faults: dict[str, object] = {"vcs": 0, "seeds": seeds - 1, "second": "sat"}
    faults |= {"links": links - 1} if links else {}
    faults |= {} if is_lemma else {"controls": 0}
    misses = [
        name
        for name, wrong in faults.items()
        if verdict == Verdict.PROVED
        and not defect(verdict, {**figures, name: wrong}, seeds, is_lemma, links)
    ]
    return f"a proof that lacks {', '.join(misses)} would be taken" if misses else ""
