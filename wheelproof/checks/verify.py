"""The verification: jobs over all layers, run by workers and gathered as rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from wheelproof import project
from wheelproof.checks import jvm, overall, prepare, prove
from wheelproof.checks import planned as planning
from wheelproof.checks.cached import Cache
from wheelproof.checks.context import Context, Report, Wanted
from wheelproof.checks.job import ClassesJob, Job
from wheelproof.checks.jobs import plan, proofs
from wheelproof.checks.workers import perform
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.events import Check, Ended, NoPlan, NotRun, Planned, VerifyOptions, ignore
from wheelproof.jvm.jars import NotHere
from wheelproof.jvm.tasks import tasks
from wheelproof.project import lock_order as documented
from wheelproof.project import planned as plans
from wheelproof.tlc import archive, jar, java, server
from wheelproof.verdict import LAYERS, Row, Verdict


def run(options: VerifyOptions) -> list[Row]:
    """Carry out a verification; its rows, in the order of mechanism, layer and declaration.

    Raises the errors of ``rows_and_reports``.
    """
    return rows_and_reports(options)[0]


def rows_and_reports(options: VerifyOptions) -> tuple[list[Row], dict[str, list[Report]]]:
    """Carry out a verification: its rows, and the reports of each mechanism's jobs.

    Raises UsageError for an unknown mechanism or layer, NothingChecked where the choice leaves
    nothing to run, ToolError where an engine is missing. KeyboardInterrupt is raised again, after
    the workers and their TLC runs have ended.
    """
    mechanisms_by_name = project.find(options.root)
    mechanisms = choose(mechanisms_by_name, options.mechanisms)
    documented.read(
        options.root, mechanisms_by_name
    )  # a wrong declaration ends the run before all checks
    if (whole := plans.read(options.root / "spec")) is None:
        options.listen(NoPlan())
    wants = predicate(options.layers)
    jobs = [] if options.theorems else plan_jobs(mechanisms, options, wants)
    theorems = prove.declared(options.root) if wants("proof") else []
    jobs += proving(of_mechanisms(theorems, mechanisms_by_name), mechanisms, options)
    if options.only:
        jobs = [part for job in jobs if (part := job.only(options.only))]
    jobs, absent = with_classes(jobs, mechanisms, options)
    cache = Cache(options, mechanisms) if options.cached else None
    if not jobs:
        raise NothingChecked(
            "No check belongs to the chosen mechanisms, layers and profile.",
            "Choose others; `wheelproof list` shows what there is.",
        )
    jobs, hits = cache.divide(jobs) if cache else (jobs, [])
    partial = overall.partial(options.layers, bool(options.only))
    over_all = {
        mechanism.name: overall.rows(mechanism, wants, partial, bool(options.only))
        for mechanism in mechanisms
    }
    options.listen(announcement(jobs, hits, sum(map(len, over_all.values()))))
    prepare_for(jobs, mechanisms, options, wants)
    contexts = {
        mechanism.name: Context(
            mechanism, options.output, options.profile, options.layers, options.listen
        )
        for mechanism in mechanisms
    }
    rows, stale = translations(contexts, wants)
    reports: dict[str, list[Report]] = {name: [] for name in contexts}
    for job, report in hits:
        if job.mechanism not in stale:
            rows += [_end(contexts[job.mechanism], row) for row in report.rows]
            reports[job.mechanism].append(report)
    for job, report in perform([job for job in jobs if job.mechanism not in stale], options):
        rows += report.rows
        reports[job.mechanism].append(report)
        if cache:
            cache.keep(job, report)
    if cache:
        cache.entries.prune()
    for name, context in contexts.items():
        if name not in stale:
            rows += overall.combined_rows(context, over_all[name], reports[name])
    rows = prove.carried_over(rows, theorems)
    if whole is not None:
        rows = as_planned(rows, whole, options, absent, stale)
    return sorted(rows, key=order(mechanisms_by_name, theorems)), reports


def as_planned(
    rows: Iterable[Row],
    whole: plans.Plan,
    options: VerifyOptions,
    absent: Collection[str],
    stale: Collection[str],
) -> list[Row]:
    """The rows, compared with the project's plan, and those that it has besides."""
    due = planning.part(whole, options, absent, stale)
    rows, missing = planning.compare(rows, whole, due, options.profile, stale)
    if missing:
        options.listen(Planned(len(missing)))
    for row in missing:
        options.listen(Ended(row))
    return rows + missing


def plan_jobs(
    mechanisms: Sequence[project.Mechanism], options: VerifyOptions, wants: Wanted
) -> list[Job]:
    """The jobs of all mechanisms but for theorems."""
    return [
        job
        for mechanism in mechanisms
        for job in plan(mechanism, options.profile, wants, apart=bool(options.only))
    ]


def proving(
    theorems: list[prove.Declared], mechanisms: Sequence[project.Mechanism], options: VerifyOptions
) -> list[Job]:
    """The jobs for the theorems of these mechanisms."""
    names = {mechanism.name for mechanism in mechanisms}
    jobs = proofs(theorems, options.profile, options.theorems, options.seeds)
    return [job for job in jobs if job.mechanism in names]


def prepare_for(
    jobs: Sequence[Job],
    mechanisms: Sequence[project.Mechanism],
    options: VerifyOptions,
    wants: Wanted,
) -> None:
    """Make the files that the workers share: the JVM's archive, TLC's modules, and models."""
    if any(job.with_tlc and set(job.layers) != {"bisimulation"} for job in jobs):
        if options.profile != "fast" or not server.make(java.locate()):
            archive.make(java.locate(), jar.locate())
        names = {job.mechanism for job in jobs}
        prepare.modules(
            [mechanism for mechanism in mechanisms if mechanism.name in names],
            options.profile,
            wants,
        )
    names_with_model = {job.mechanism for job in jobs if job.with_model}
    prepare.models([mechanism for mechanism in mechanisms if mechanism.name in names_with_model])


def translations(contexts: Mapping[str, Context], wants: Wanted) -> tuple[list[Row], set[str]]:
    """The rows of the specifications' translations, and the mechanisms that have a stale one.

    TLC gets copies without the algorithm: it would not report that its translation is stale.
    The row of a draft with holes is inconclusive, and its translation is not stale.
    """
    rows: list[Row] = []
    stale: set[str] = set()
    if not wants("tlc", "graph", "liveness", "mutant"):
        return rows, stale
    has_row = wants("tlc")
    for name, context in contexts.items():
        heard = context if has_row else replace(context, listen=ignore)
        row = overall.TRANSLATION.row(heard, [])
        if has_row or not row.ok:
            rows.append(row)
        if not row.ok and not (context.mechanism.holes and row.verdict is Verdict.INCONCLUSIVE):
            stale.add(name)
            if not has_row:
                context.listen(Planned(1))
                context.listen(Ended(row))
    return rows, stale


def announcement(jobs: Sequence[Job], hits: Sequence[tuple[Job, Report]], more: int) -> Planned:
    """The checks of a run: of the jobs, of the kept reports, and so many more."""
    run = [Check(job.mechanism, *key) for job in jobs for key in job.makes]
    row_count = sum(len(report.rows) for _, report in hits)
    return Planned(len(run) + row_count + more, frozenset(run), row_count)


def with_classes(
    jobs: list[Job], mechanisms: Sequence[project.Mechanism], options: VerifyOptions
) -> tuple[list[Job], frozenset[str]]:
    """The jobs, without those of layer jvm where its jars or a Java cannot be had; that layer then.

    Raises NotHere if none is left.
    """
    try:
        for mechanism in mechanisms:
            names = [
                name
                for job in jobs
                if isinstance(job, ClassesJob) and job.mechanism == mechanism.name
                for name in job.names
            ]
            jvm.fetch(Context(mechanism, options.output), names)
    except NotHere as error:
        rest = [job for job in jobs if not isinstance(job, ClassesJob)]
        if not rest:
            raise
        options.listen(NotRun("jvm", str(error)))
        return rest, frozenset({"jvm"})
    return jobs, frozenset()


def of_mechanisms(
    theorems: list[prove.Declared], mechanisms: dict[str, project.Mechanism]
) -> list[prove.Declared]:
    """The theorems; UsageError where the mechanism of one is unknown."""
    for item in theorems:
        if item.mechanism not in mechanisms:
            raise UsageError(
                f"The theory {item.theory} is about an unknown mechanism, {item.mechanism!r}.",
                f"Known: {', '.join(mechanisms)}.",
            )
    return theorems


def choose(
    mechanisms: dict[str, project.Mechanism], names: tuple[str, ...]
) -> list[project.Mechanism]:
    """The mechanisms of these names, all where there are none."""
    if unknown := [name for name in names if name not in mechanisms]:
        raise UsageError(
            f"There is no mechanism {', '.join(unknown)}.", f"Known: {', '.join(mechanisms)}."
        )
    return [mechanisms[name] for name in names or mechanisms]


def predicate(layers: frozenset[str] | None) -> Wanted:
    """The predicate of these layers, of all for None; UsageError for an unknown one."""
    if layers is not None and (unknown := sorted(layers - set(LAYERS))):
        raise UsageError(f"There is no layer {', '.join(unknown)}.", f"Known: {', '.join(LAYERS)}.")
    return lambda *names: layers is None or bool(layers & set(names))


def _end(context: Context, row: Row) -> Row:
    context.listen(Ended(row))
    return row


def order(
    mechanisms: dict[str, project.Mechanism], theorems: Iterable[prove.Declared] = ()
) -> Callable[[Row], tuple[int, int, int]]:
    """A sort key for rows: mechanism and layer, then the order of their declarations.

    Theorems stand behind those that they build on, and rows without a declaration at the end.
    """
    place = {}
    for number, mechanism in enumerate(mechanisms.values()):
        names = [
            *[row.name for row in overall.ROWS],
            "properties",
            "edges",
            *mechanism.configs,
            *mechanism.composed,
            *mechanism.mutants,
            *mechanism.faults,
            *tasks(mechanism),
            *[item.name for item in theorems if item.mechanism == mechanism.name],
        ]
        for index, name in enumerate(names):
            place[mechanism.name, name] = (number, index)
    last = {name: (number, len(place)) for number, name in enumerate(mechanisms)}
    end = (len(mechanisms), 0)

    def key(row: Row) -> tuple[int, int, int]:
        number, index = place.get((row.mechanism, row.name), last.get(row.mechanism, end))
        return number, LAYERS.index(row.layer), index

    return key
