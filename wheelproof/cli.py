"""The command `wheelproof`. Commands import their engines, so that `--help` answers at once.

Exit codes of every command: 0 every verdict as expected; 1 a finding; 2 usage; 3 inconclusive; 4 a
tool failed, as by a defect of this one; 5 nothing checked or vacuous; 130 interrupted; 143 SIGTERM.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from wheelproof.commands.campaigning import campaign
from wheelproof.commands.exploring import explore
from wheelproof.commands.fuzzing import fuzz
from wheelproof.commands.gate import mutate
from wheelproof.commands.inventory import list_
from wheelproof.commands.locks import locks
from wheelproof.commands.options import (
    Commands,
    Configs,
    Fresh,
    Jobs,
    Json,
    Mutants,
    On,
    Output,
    Profile,
    Quiet,
    Scenarios,
    Subject,
    To,
    Trace,
    Verbose,
    Version,
    Watch,
    check_known,
    mechanisms_of,
    processors,
)
from wheelproof.commands.specification import tla
from wheelproof.commands.starting import init
from wheelproof.commands.translating import translate
from wheelproof.errors import UsageError
from wheelproof.trace import commands as trace_commands

app = typer.Typer(
    name="wheelproof",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Shows that a specification, its executable model and an implementation are the same "
    "machine.",
    epilog="Exit codes: 0 as expected, 1 finding, 2 usage, 3 inconclusive, 4 tool failed, "
    "5 nothing checked, 130 interrupted, 143 ended by SIGTERM.",
)
app.add_typer(trace_commands.app, name="trace")


@app.callback()
def options(version: Version = False) -> None:
    """Options of the command itself."""


@app.command()
def verify(
    mechanisms: Annotated[
        list[str] | None, typer.Argument(metavar="MECHANISM", help="Which to check; all without.")
    ] = None,
    layer: Annotated[
        list[str] | None, typer.Option("--layer", metavar="A,B", help="Only these layers.")
    ] = None,
    config: Configs = None,
    mutant: Mutants = None,
    scenario: Scenarios = None,
    profile: Annotated[
        Profile, typer.Option("--profile", help="How much to check.")
    ] = Profile.FAST,
    root: Subject = Path("."),
    output: Output = Path("build"),
    jobs: Jobs = 0,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    fresh: Fresh = False,
    watch: Watch = False,
) -> None:
    """Check mechanisms, layer by layer, and write the report."""
    from wheelproof.commands import watching
    from wheelproof.commands.selection import selection, split_names
    from wheelproof.commands.verification import Verification
    from wheelproof.events import VerifyOptions
    from wheelproof.verdict import LAYERS

    layers = split_names("--layer", layer)
    check_known("layer", layers, LAYERS)
    if watch:
        watching.check(root, output, fresh, as_json)
        raise typer.Exit(watching.run(root, quiet))
    mechanisms_there = mechanisms_of(root, mechanisms or [])
    options = VerifyOptions(
        mechanisms=tuple(dict.fromkeys(mechanisms or [])),
        layers=frozenset(layers) if layers else None,
        profile=profile.value,
        root=root,
        output=output,
        jobs=jobs or processors(),
        only=selection(
            mechanisms_there,
            profile.value,
            split_names("--config", config),
            split_names("--mutant", mutant),
            split_names("--scenario", scenario),
        ),
        cached=not fresh,
    )
    raise typer.Exit(Verification(options, mechanisms_there, quiet, as_json, verbose=verbose).run())


@app.command("prove")
def prove_(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME", help="Theorems, or mechanisms for all of theirs; all without."
        ),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds", metavar="N", min=0, help="Seeds for each theorem; 0: as the profile has it."
        ),
    ] = 0,
    profile: Annotated[
        Profile, typer.Option("--profile", help="How much to prove.")
    ] = Profile.FAST,
    root: Subject = Path("."),
    output: Output = Path("build"),
    jobs: Jobs = 0,
    table: Annotated[
        bool,
        typer.Option(
            "--table",
            help="The table of theorems as Markdown on standard output, all else on standard "
            "error.",
        ),
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Prove the project's theorems, each with its controls, and write the report."""
    from wheelproof.checks import prove
    from wheelproof.commands import theorems
    from wheelproof.commands.verification import Verification
    from wheelproof.events import VerifyOptions

    if table and as_json:
        raise UsageError("--table and --json both want standard output.", "Give one of them.")
    mechanisms_there = mechanisms_of(root, [])
    theorem_list = prove.declared(root)
    check_known(
        "theorem",
        names or [],
        dict.fromkeys([name_ for item in theorem_list for name_ in (item.name, item.mechanism)]),
    )
    options = VerifyOptions(
        mechanisms=(),
        layers=frozenset({"proof"}),
        profile=profile.value,
        root=root,
        output=output,
        jobs=jobs or processors(),
        theorems=tuple(dict.fromkeys(names or [])),
        seeds=seeds,
    )
    verification = Verification(options, mechanisms_there, quiet, as_json, table, verbose)
    code = verification.run()
    if table:
        sys.stdout.write(theorems.render(theorem_list, verification.results.rows))
    raise typer.Exit(code)


for command in (explore, fuzz, mutate, campaign, locks, init):
    app.command()(command)


@app.command("jvm")
def jvm_(
    release_names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CHECK", help="Scenarios, configs or changes; the fast profile's without."
        ),
    ] = None,
    release: Annotated[
        str, typer.Option("--release", metavar="R", help="Only the classes of this release.")
    ] = "",
    fine: Annotated[
        bool, typer.Option("--fine", help="Every access is a step of its own.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Every scenario, the large ones too.")
    ] = False,
    table: Annotated[
        bool,
        typer.Option(
            "--table",
            help="The table of counts as Markdown on standard output, all else on standard error; "
            "with --all of the releases that the bindings are made for.",
        ),
    ] = False,
    matrix: Annotated[
        bool,
        typer.Option(
            "--matrix",
            help="Releases and properties as Markdown on standard output, each cell checked.",
        ),
    ] = False,
    root: Subject = Path("."),
    output: Output = Path("build"),
    jobs: Jobs = 0,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Compare compiled Java classes with the model, in every state of a scenario."""
    from wheelproof.commands import compiled, planning, releases
    from wheelproof.commands.verification import Verification
    from wheelproof.events import VerifyOptions
    from wheelproof.jvm.tasks import select

    mechanisms_there = mechanisms_of(root, [])
    if table + matrix + as_json > 1:
        raise UsageError(
            "--table, --matrix and --json all want standard output.", "Give one of them."
        )
    names = set(release_names or ()) or (
        releases.names(mechanisms_there.values()) if matrix else set()
    )
    first = table and every and not release
    checks = select(mechanisms_there.values(), names, release, fine, every, first)
    options = VerifyOptions(
        mechanisms=tuple(dict.fromkeys(mechanism for mechanism, _ in checks)),
        layers=frozenset({"jvm"}),
        profile="nightly",
        root=root,
        output=output,
        jobs=jobs or processors(),
        only=frozenset(checks),
        lost=frozenset() if names else planning.losses(root, mechanisms_there.values(), release),
    )
    verification = Verification(options, mechanisms_there, quiet, as_json, table or matrix, verbose)
    code = verification.run()
    if table:
        sys.stdout.write(compiled.render(verification.results.rows))
    if matrix:
        sys.stdout.write(releases.render(verification.results.rows, mechanisms_there, output))
    raise typer.Exit(code)


app.command("list")(list_)


@app.command()
def models(
    mechanisms: Annotated[
        list[str] | None, typer.Argument(metavar="MECHANISM", help="Whose; all without.")
    ] = None,
    root: Subject = Path("."),
) -> None:
    """Write two models for a TLA+ editor beside each specification: one holds, one fails."""
    from wheelproof.commands import editor

    for mechanism in mechanisms_of(root, mechanisms or []).values():
        written_files = [file.relative_to(root).as_posix() for file in editor.write(mechanism)]
        print(f"{mechanism.name}: {', '.join(written_files) or 'as they were'}")


@app.command("mutant")
def mutant_(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A decision or a mutant, as NAME or MECHANISM/NAME."),
    ],
    width: Annotated[
        int | None, typer.Option("--width", min=40, help="Columns; thread columns need 100.")
    ] = None,
    root: Subject = Path("."),
    output: Output = Path("build"),
) -> None:
    """Show a decision taken away: the changes side by side, the verdicts, and a counterexample."""
    from wheelproof.commands import mutant
    from wheelproof.console import can_encode, console
    from wheelproof.counterexample import columns

    glyphs = columns.UNICODE if can_encode(sys.stdout, columns.UNICODE.all()) else columns.ASCII
    raise typer.Exit(mutant.run(name, root, output, console(width=width), glyphs))


@app.command()
def show(
    trace: Trace,
    width: Annotated[
        int | None, typer.Option("--width", min=40, help="Columns; thread columns need 100.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Fold and shorten nothing.")] = False,
    root: Subject = Path("."),
) -> None:
    """Show a counterexample as columns of threads."""
    from wheelproof.console import can_encode, console, print_lines
    from wheelproof.counterexample import columns, document, explored

    if explored.is_one(trace):
        print(explored.read(trace).text(console(width=width).width))
        return
    counterexample = document.read(trace)
    target = console(width=width)
    glyphs = columns.UNICODE if can_encode(sys.stdout, columns.UNICODE.all()) else columns.ASCII
    print_lines(
        target, columns.render(counterexample, target.width, root, str(trace), full, glyphs)
    )


@app.command()
def replay(
    trace: Trace,
    on: Annotated[On, typer.Option("--on", help="What to replay it on.")] = On.IMPL,
    until: Annotated[
        int | None, typer.Option("--until", metavar="STEP", min=0, help="Stop after this step.")
    ] = None,
    root: Subject = Path("."),
) -> None:
    """Run a counterexample again, step by step, and show that it still violates its property."""
    from wheelproof.commands import campaigning
    from wheelproof.counterexample import explored
    from wheelproof.counterexample import replay as engine

    if explored.is_one(trace):
        from wheelproof.commands import exploring

        order = explored.read(trace)
        if order.test.partition("::")[0].endswith(".java"):
            from wheelproof.commands import exploring_java

            jars = [Path(jar) for jar in order.into]
            raise typer.Exit(exploring_java.replay(order.test, jars, order.schedule))
        raise typer.Exit(exploring.run(order.test, {}, list(order.into), None, trace))
    if campaigning.is_failure(trace):
        raise typer.Exit(campaigning.replay(trace, root))
    raise typer.Exit(engine.run(trace, on.value, until, root=root) or 0)


@app.command()
def export(
    trace: Trace,
    to: Annotated[To, typer.Option("--to", help="The format.")],
) -> None:
    """Print a counterexample for other tools (ITF), or as a regression test (pytest)."""
    from wheelproof.counterexample import document
    from wheelproof.counterexample import export as exporter

    text = {To.ITF: exporter.itf, To.PYTEST: exporter.pytest}[to](document.read(trace))
    sys.stdout.write(text)


@app.command()
def doctor(
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Download what is absent: TLC, jars of classes.")
    ] = False,
    root: Subject = Path("."),
    as_json: Json = False,
) -> None:
    """Show the Python, Java, TLC and packages in use, and the features that an absence disables."""
    from wheelproof import doctor as physician
    from wheelproof import documents

    findings = physician.survey(root, fetch)
    if as_json:
        sys.stdout.write(documents.encode(physician.document(findings)))
    else:
        physician.print_findings(findings)
    raise typer.Exit(physician.exit_code(findings))


app.command()(tla)
app.command()(translate)


def main() -> None:
    """The command itself; ``__main__`` answers signals before it is imported."""
    from wheelproof import console
    from wheelproof.commands import ending

    sys.stdout, sys.stderr = console.guard(sys.stdout), console.guard(sys.stderr)
    code: object = 0
    try:
        app(prog_name="wheelproof")
    except SystemExit as error:
        code = error.code
    sys.exit(ending.last(code if isinstance(code, int) else int(code is not None)))
