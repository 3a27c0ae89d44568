"""The changes of a run: its rows beside those of the runs that the output folder had before."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from wheelproof.verdict import Results, Row


@dataclass(frozen=True)
class Since:
    """The checks that differ from the last run, by title."""

    started: str
    """The start of that run, UTC."""
    broken: tuple[str, ...] = ()
    """Checks that are not in order now, and were in order or absent then."""
    mended: tuple[str, ...] = ()
    """Checks that are in order now, and were not then."""
    gone: tuple[str, ...] = ()
    """Checks of that run alone, with the same profile."""
    added: tuple[str, ...] = ()
    """Checks of this run alone, with the same profile."""

    def lines(self, details: int, faults: int) -> Iterator[str]:
        """The counts in one line, and the first titles below it, so many at most.

        ``faults``: how many checks are not in order. Where all of them are new none is named again.
        """
        kinds = {
            "not in order": self.broken,
            "in order again": self.mended,
            "gone": self.gone,
            "added": self.added,
        }
        counts = ", ".join(f"{len(titles)} {kind}" for kind, titles in kinds.items() if titles)
        yield f"new since {self.started[:16].replace('T', ' ')} UTC: {counts or 'nothing'}"
        if len(self.broken) == faults:
            del kinds["not in order"]
        titles_by_kind = [(kind, title) for kind, titles in kinds.items() for title in titles]
        for kind, title in titles_by_kind[:details]:
            yield f"    {kind}: {title}"


def since(
    runs: Sequence[Results], now: Results, covers: Callable[[str, str, str], bool]
) -> Since | None:
    """The changes beside the runs, of which a later one counts more; None where there is none.

    ``covers``: whether this run would have a check of this mechanism, layer and name.
    """
    then: dict[str, Row] = {}
    for run in runs:
        then |= {row.title(): row for row in run.rows if covers(row.mechanism, row.layer, row.name)}
    if not then:
        return None
    rows = {row.title(): row for row in now.rows}
    good = {title for title, row in then.items() if row.ok}
    alike = all(run.profile == now.profile for run in runs)
    return Since(
        runs[-1].started,
        broken=tuple(
            title for title, row in rows.items() if not row.ok and title not in then.keys() - good
        ),
        mended=tuple(
            title for title, row in rows.items() if row.ok and title in then.keys() - good
        ),
        gone=tuple(
            title
            for title, row in then.items()
            if now.complete and alike and title not in rows and row.layer not in now.not_run
        ),
        added=tuple(title for title, row in rows.items() if row.ok and alike and title not in then),
    )
