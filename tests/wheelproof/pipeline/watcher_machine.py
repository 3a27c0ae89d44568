"""The rule of the watchers of a key once more, as the plain machine of ``machine.py`` asks it."""

from __future__ import annotations

from typing import Any

Event = dict[str, Any]


def watchers(machine: Any, events: list[Event]) -> None:
    """Say of each watcher whether the first check after it came tries it."""
    if (
        not machine.whole
        or not {"watch_add", "check_begin", "check_end", "try_begin", "force_cas"} <= machine.kinds
    ):
        return

    def number(e: Event) -> tuple[str, int] | None:
        return next(
            (
                token[1:3]
                for token in e.get("ord", ())
                if token[0] == "L" and not token[1].startswith("op:")
            ),
            None,
        )

    ends = {}
    for e in events:
        if e["k"] == "check_end" and "span" in e and "key" in e:
            ends[e["key"], e["span"]] = e["lc"]
    for added in events:
        if added["k"] != "watch_add" or number(added) is None:
            continue
        lock, at = number(added)
        later = [
            e
            for e in events
            if e["k"] == "check_begin"
            and e.get("key") == added["key"]
            and number(e)
            and number(e)[0] == lock
            and (number(e)[1], -e["lc"], -e["tid"], -e["tseq"])
            > (at, -added["lc"], -added["tid"], -added["tseq"])
        ]
        if not later:
            continue
        check = min(later, key=lambda e: (number(e)[1], -e["lc"], -e["tid"], -e["tseq"]))
        op, key = added["op"], added["key"]
        if (key, check.get("span")) not in ends:
            continue
        begun, ended = check["lc"], ends[key, check["span"]]
        tried = any(
            e["k"] == "try_begin"
            and e.get("op") == op
            and e["tid"] == check["tid"]
            and begun < e["lc"] < ended
            for e in events
        )
        over = any(
            e.get("op") == op
            and e["lc"] <= ended
            and (
                e["k"] == "force_cas"
                and e.get("res") == "true"
                or e["k"] == "watch_cancel"
                and e["key"] == key
            )
            for e in events
        )
        dropped = any(
            e["k"] == "cancel_key_begin"
            and e.get("key") == key
            and e["lc"] <= ended
            and (-e["lc"], e["tid"], e["tseq"]) < (-added["lc"], added["tid"], added["tseq"])
            for e in events
        )
        machine.say(
            "CheckTriesWatcher",
            (added["tid"], added["tseq"], added["lc"]),
            tried or over or dropped,
        )
