"""The bulk of the rules in DuckDB's SQL, over one run's Parquet file: a second opinion on Spark,
and the yardstick of the benchmark."""

from __future__ import annotations

from collections import Counter

ENTRY_KINDS = "('entry_new','list_add','list_remove','expire_submit','task_run')"

QUERIES = {
    "rows": """
        select unnest(list_filter([
            case when k = 'wheel_place' and not (vid = exp_ms // tick and bucket = vid % {size})
                then 'SlotInRange' end,
            case when k = 'wheel_place' and not (exp_ms >= wheel_ms - wheel_ms % {tick} + {tick} and
                exp_ms < wheel_ms - wheel_ms % tick + tick * {size}
                and (level = 1 or exp_ms >= wheel_ms - wheel_ms % greatest(tick // {size}, 1) +
                    tick)) then 'LevelBound' end,
            case when k in ('bucket_expiry_set', 'dq_offer') and key_ms >= 0 and key_ms %
                coalesce(tick, {tick}) <> 0 then 'KeyAligned' end,
            case when (k = 'expire_submit' or k = 'wheel_reject' and cause = 'due') and not exp_ms <
                wheel_ms + {tick} then 'NotEarly' end,
            case when k = 'dq_poll' and key_ms > now_ms then 'PolledWhenReady' end,
            case when k = 'force_cas' and (res = 'true') = pre.completed then 'CompletionObserved'
                end
        ], lambda x: x is not null)) as rule, tid, tseq
        from (select *, {tick} * cast({size} ** (level - 1) as bigint) as tick from events)""",
    "threads": """
        select unnest(list_filter([
            case when tseq > coalesce(was, 0) + 1 then 'ThreadNoGap' end, case when tseq <= was then
                'ThreadOnce' end, case when lc <= was_lc then 'ThreadClock' end
        ], lambda x: x is not null)) as rule, tid, tseq
        from (select tid, tseq, lc, lag(tseq) over w as was, lag(lc) over w as was_lc from events
            window w as (partition by tid order by tseq, lc, k))""",
    "entries": f"""
        select unnest(list_filter([
            case when k = 'list_add' and was = 'list_add' then 'AtMostOneList' end,
            case when k = 'list_remove' and not coalesce(was = 'list_add' and was_list = list,
                false) then 'ExactlyItsList' end,
            case when k in ('list_add', 'expire_submit') and was in ('expire_submit', 'task_run')
                then 'FiredOnce' end,
            case when k = 'entry_new' and was is not null then 'FreshId' end
        ], lambda x: x is not null)) as rule, tid, tseq
        from (select tid, tseq, k, list, lag(k) over w as was, lag(list) over w as was_list from
            events where k in {ENTRY_KINDS}
              window w as (partition by entry order by lc, tid, tseq))""",
    "operations": """
        select 'CompletedOnce' as rule, op as tid, null as tseq from events where k in ('force_cas',
            'on_complete_begin', 'on_complete_end') group by op
        having count_if(k = 'force_cas' and res = 'true') > 1 or count_if(k = 'on_complete_begin') >
            1 or count_if(k = 'on_complete_end') > 1""",
    "tokens": """
        select unnest(list_filter([
            case when (kind = 'L' or counts and writes) and seq > coalesce(was.seq, 0) + 1 then
                'TokenDense' end,
            case when writes and kind <> 'RW' and seq <= was.seq then 'TokenOnce' end,
            case when lc <= was.lc and not (lc = was.lc and not writes and not was.writes and seq =
                was.seq) then 'TokenClock' end,
            case when counts and k in ('list_add', 'list_remove') and was.counter is not null
                and counter - was.counter <> (case when k = 'list_add' then 1 else -1 end) then
                    'CounterExact' end
        ], lambda x: x is not null)) as rule, tid, tseq
        from (select *, lag({'seq': seq, 'lc': lc, 'writes': writes, 'counter': counter}) over (
                  partition by kind, id order by seq, case when kind = 'RW' then writes else not
                      writes end, lc, tid, tseq) as was
              from (select tid, tseq, lc, k, t.kind as kind, t.id as id, t.seq as seq, t.mode in
                  ('w', 'cas+') as writes, starts_with(t.id, 'counter:') as counts,
                           case when starts_with(t.id, 'counter:') then post.counter end as counter
                    from (select tid, tseq, lc, k, post, unnest(ord) as t from events) where t.upto
                        is null))""",
}

RULES = (
    "SlotInRange",
    "LevelBound",
    "KeyAligned",
    "NotEarly",
    "PolledWhenReady",
    "CompletionObserved",
    "ThreadNoGap",
    "ThreadOnce",
    "ThreadClock",
    "AtMostOneList",
    "ExactlyItsList",
    "FreshId",
    "CompletedOnce",
    "TokenDense",
    "TokenOnce",
    "TokenClock",
)
"""The rules that are the same here and there. Three others above see less than Spark's: they are
here for their cost."""


def violations(
    files: list[str],
    tick_ms: int,
    wheel_size: int,
    queries: tuple[str, ...] = tuple(QUERIES),
    threads: int = 2,
) -> Counter[tuple[str, int, int | None]]:
    """(rule, thread, number in the thread) of each violation, and (CompletedOnce, op, None)."""
    import duckdb

    found: Counter[tuple[str, int, int | None]] = Counter()
    with duckdb.connect(config={"threads": threads}) as database:
        database.read_parquet(files).create_view("events")
        for name in queries:
            text = QUERIES[name]
            if name == "rows":
                text = text.format(tick=tick_ms, size=wheel_size)
            found.update(database.sql(text).fetchall())
    return found
