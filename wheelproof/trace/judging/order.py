"""Gaps and contradictions in the order of a trace: thread numbers, clocks, order tokens, footer."""

from __future__ import annotations

from wheelproof.trace.format.event import Event
from wheelproof.trace.format.heads import Footer
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.format.totals import Totals
from wheelproof.trace.judging.verdict import Finding


class Order:
    """The numbers of threads and tokens, as events go by in the order of their clocks.

    ``missing``: gaps. ``contradictions``: numbers or clocks that go back. Each is (line, property,
    message).
    """

    def __init__(self) -> None:
        self.threads: dict[int, tuple[int, int]] = {}
        self.tokens: dict[str, tuple[int, int, str]] = {}
        self.totals = Totals()
        self.missing: list[tuple[int, str, str]] = []
        self.contradictions: list[tuple[int, str, str]] = []

    def count(self, line: int, event: Event) -> None:
        tid, tseq, lc = event["tid"], event["tseq"], event["lc"]
        last, last_lc = self.threads.get(tid, (0, 0))
        if tseq <= last:
            self._refuse(
                line, "ThreadSequence", f"thread {tid} has event {tseq} after event {last}"
            )
        elif tseq != last + 1:
            self._lack(
                line,
                "ThreadSequence",
                f"of thread {tid} the events {last + 1} to {tseq - 1} are missing",
            )
        if lc <= last_lc:
            self._refuse(
                line, "ThreadSequence", f"the clock of thread {tid} goes from {last_lc} to {lc}"
            )
        self.threads[tid] = tseq, lc
        self.totals.count(event.get("ord", ()))
        for token in event.get("ord", ()):
            if len(token) == 4:
                self._token(line, token, lc)

    def _lack(self, line: int, name: str, message: str) -> None:
        self.missing.append((line, name, message))

    def _refuse(self, line: int, name: str, message: str) -> None:
        self.contradictions.append((line, name, message))

    def _token(self, line: int, token: tuple[str, str, int, str], lc: int) -> None:
        kind, name, seq, mode = token
        key = f"{kind} {name}"
        before = self.tokens.get(key)
        if before is None:
            # The recording may begin late: a lock and a word begin where they are first seen.
            first = 1 if kind == "L" or kind == "V" and mode in ("w", "cas+") else 0
            if seq > first and kind != "RW":
                self._lack(line, "TokenSequence", f"of {name} the numbers before {seq} are missing")
            self.tokens[key] = seq, lc, mode
            return
        last, last_lc, last_mode = before
        if kind == "L":
            if seq <= last:
                self._refuse(line, "TokenSequence", f"{name} has the number {seq} after {last}")
            elif seq != last + 1:
                self._lack(
                    line,
                    "TokenSequence",
                    f"of {name} the numbers {last + 1} to {seq - 1} are missing",
                )
            if lc <= last_lc:
                self._refuse(
                    line,
                    "TokenOrder",
                    f"{name} number {seq} has the clock {lc}, and number {last} has {last_lc}",
                )
        elif kind == "V":
            due = last + (mode in ("w", "cas+"))
            if seq < due:
                self._refuse(
                    line,
                    "TokenSequence",
                    f"version {seq} of {name} is touched ({mode}) after version {last}",
                )
            elif seq > due:
                self._lack(
                    line,
                    "TokenSequence",
                    f"of {name} the writes {last + 1} to "
                    f"{seq - (mode != 'r' and mode != 'cas-')} are missing",
                )
        elif seq < last or (seq == last and mode == "r" and last_mode == "w"):
            self._refuse(
                line,
                "TokenSequence",
                f"{name} is held ({mode}) at {seq} after {last} ({last_mode})",
            )
        self.tokens[key] = max(seq, last), lc, mode


def against_footer(
    order: Order,
    events: int,
    footer: Footer,
    tally: Tally | None,
    hashed: bool,
) -> tuple[list[Finding], list[Finding]]:
    """Compare a footer with the events that were read: (gaps, contradictions).

    ``tally``: of the file; None where it has none. ``hashed``: whether the hash counts too.
    """
    missing, wrong = [], []
    if footer["dropped"]:
        missing.append(
            Finding(0, None, "Dropped", f"{footer['dropped']} events were dropped by the recorder")
        )
    if footer["events"] > events:
        missing.append(
            Finding(
                0,
                None,
                "Footer",
                f"the footer counts {footer['events']} events, and there are {events}",
            )
        )
    elif footer["events"] < events:
        wrong.append(
            Finding(
                0,
                None,
                "Footer",
                f"the footer counts {footer['events']} events, and there are {events}",
            )
        )
    for tid, last in footer["per_thread_last_tseq"].items():
        number = order.threads.get(int(tid), (0, 0))[0] if tid.isdigit() else 0
        if number != last:
            (missing if number < last else wrong).append(
                Finding(
                    0,
                    None,
                    "Footer",
                    f"the last event of thread {tid} is {last} in the footer, and {number} here",
                )
            )
    for is_missing, message in (
        order.totals.against(footer["tokens"]) if footer.get("tokens") is not None else ()
    ):
        (missing if is_missing else wrong).append(Finding(0, None, "Footer", message))
    for key, last in (
        footer.get("per_token_last_seq") or {}
    ).items():  # of a minor version before 2
        number = order.tokens.get(key, (-1,))[0]
        if number != last:
            (missing if number < last else wrong).append(
                Finding(
                    0,
                    None,
                    "Footer",
                    f"the last number of {key} is {last} in the footer, and {max(number, 0)} here",
                )
            )
    if (
        hashed
        and not missing
        and tally is not None
        and footer.get("sha256") not in (None, tally.sha256)
    ):
        wrong.append(
            Finding(
                0,
                None,
                "Footer",
                "the footer's sha256 is that of another header or of other events",
            )
        )
    return missing, wrong
