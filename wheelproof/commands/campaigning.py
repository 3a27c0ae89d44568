"""``wheelproof campaign``: units that need nothing of each other, on the executors of Spark."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wheelproof.commands import INTERRUPTED
from wheelproof.commands.options import Json, Quiet, Subject, check_apart
from wheelproof.errors import ToolError, UsageError

if TYPE_CHECKING:
    from wheelproof.campaign.kind import Campaign
    from wheelproof.campaign.manifest import Manifest
    from wheelproof.pipeline.session import SessionOptions


def campaign(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="programs, linearizable, verify, mutate, prove.")
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="MODULE:NAME, mechanisms or theorems, by the kind."),
    ] = None,
    seeds: Annotated[
        str, typer.Option("--seeds", metavar="A:B", help="Seeds from A to before B.")
    ] = "",
    programs: Annotated[
        int | None, typer.Option("--programs", metavar="N", min=1, help="Programs of a seed.")
    ] = None,
    executions: Annotated[
        int | None,
        typer.Option("--executions", metavar="N", min=1, help="The most of one program."),
    ] = None,
    bound: Annotated[
        int | None,
        typer.Option("--bound", metavar="N", min=0, help="Only orders with N preemptions."),
    ] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", metavar="P", help="fast or nightly.")
    ] = None,
    layer: Annotated[
        list[str] | None, typer.Option("--layer", metavar="A,B", help="Only these layers.")
    ] = None,
    artefact: Annotated[
        list[str] | None, typer.Option("--artefact", metavar="A,B", help="Whose changes.")
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", metavar="N", min=1, help="Changes of each group.")
    ] = None,
    size: Annotated[
        int, typer.Option("--block", metavar="N", min=1, help="Units of a block.")
    ] = 20,
    limit: Annotated[
        float, typer.Option("--limit", metavar="S", min=1, help="The most seconds of a unit.")
    ] = 3_600,
    master: Annotated[
        str, typer.Option("--master", metavar="URL", help="Where Spark runs.")
    ] = "local[2]",
    memory: Annotated[
        str, typer.Option("--memory", metavar="SIZE", help="Of Spark's driver.")
    ] = "1g",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Remove the campaign that is there, and begin anew.")
    ] = False,
    root: Subject = Path("."),
    output: Annotated[
        Path, typer.Option("--output", metavar="DIR", help="The campaign's folder.")
    ] = Path("build/campaign"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run many drawn programs, changes, proofs or checks in blocks; go on where it was ended."""
    from wheelproof.campaign.kind import Request
    from wheelproof.campaign.kind import campaign as campaign_of
    from wheelproof.commands.selection import split_names
    from wheelproof.pipeline import session

    request = Request(
        kind,
        tuple(dict.fromkeys(names or [])),
        seeds_of(seeds),
        programs,
        executions,
        bound,
        profile,
        tuple(split_names("--layer", layer)) or None,
        tuple(split_names("--artefact", artefact)) or None,
        count,
    )
    session.check()
    check_apart(root.resolve(), output)
    subject = campaign_of(request, root.resolve())
    manifest = prepared(subject, output, size, limit, fresh)
    options = session.SessionOptions(master, memory)
    raise typer.Exit(run(subject, manifest, output, options, as_json, quiet))


def seeds_of(text: str) -> tuple[int, int] | None:
    """The seeds of an option. Raises UsageError."""
    if not text:
        return None
    match = re.fullmatch(r"(\d+):(\d+)", text)
    if match is None or not int(match[1]) < int(match[2]):
        raise UsageError(
            f"--seeds {text} names no seeds.", "Give the first and the end, as 0:1000."
        )
    return int(match[1]), int(match[2])


def prepared(subject: Campaign, output: Path, size: int, limit: float, fresh: bool) -> Manifest:
    """The manifest of a folder: of the campaign that is there, or of one that begins.

    UsageError: another one is there. ToolError: the folder cannot be written.
    """
    from wheelproof.campaign import manifest as manifests
    from wheelproof.campaign import shipping

    file = output / manifests.MANIFEST
    if fresh:
        clear(output)
    elif not file.exists() and output.is_dir() and any(output.iterdir()):
        raise UsageError(
            f"{output} is not empty, and no campaign.", "Give another --output, or an empty one."
        )
    there = manifests.read(output) if file.exists() else None
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"{output} cannot be made ({error.strerror}).", "Give another --output."
        ) from error
    with shipping.packed(subject.root, output, output / manifests.ARCHIVE) as digest:
        manifest = manifests.plan(subject, digest, size, limit)
        if there is not None:
            manifests.check_same(output, there, manifest)
    if there is None:
        manifests.write(output, manifest)
    return manifest


def clear(output: Path) -> None:
    """Remove the files of a campaign, and nothing else. Raises UsageError."""
    from wheelproof.campaign import manifest as manifests
    from wheelproof.campaign import summary

    if output.is_dir() and any(output.iterdir()) and not (output / manifests.MANIFEST).exists():
        raise UsageError(f"{output} is no campaign.", "Remove its files by hand.")
    for name in (manifests.BLOCKS, manifests.FAILURES):
        shutil.rmtree(output / name, ignore_errors=True)
    for name in (manifests.ARCHIVE, summary.SUMMARY, manifests.MANIFEST):
        (output / name).unlink(missing_ok=True)


def run(
    subject: Campaign,
    manifest: Manifest,
    output: Path,
    options: SessionOptions,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run the blocks that are left, and print the whole; the exit code."""
    from wheelproof import documents
    from wheelproof.campaign import blocks, driver, summary
    from wheelproof.campaign import manifest as manifests
    from wheelproof.console import visible
    from wheelproof.plain import progress

    stream = sys.stderr if as_json else sys.stdout

    def tell(text: str) -> None:
        print(visible(text), file=stream, flush=True)

    before = manifests.finished(output, manifest)
    for number in before:
        for _ in blocks.load(output, manifest, number):  # a damaged block is refused at once
            pass
    if not quiet:
        shipped = (output / manifests.ARCHIVE).stat().st_size / 1e6
        done = f", {len(before)} of them there already" if before else ""
        tell(
            f"{len(manifest.units):,} units in {manifest.blocks:,} blocks{done}; "
            f"{shipped:.1f} MB for each executor"
        )
    interrupted = False
    try:
        driver.run(output, manifest, options, progress.on_stderr())
    except KeyboardInterrupt:
        interrupted = True
    whole = summary.read(output, manifest, subject)
    documents.write(output / summary.SUMMARY, whole.document())
    lines = list(summary.lines(whole))
    for text in lines[-1:] if quiet else lines:
        tell(text)
    if as_json:
        sys.stdout.write(documents.encode(whole.document()))
    if interrupted:
        tell(f"interrupted: the same command goes on with {output}")
        return INTERRUPTED
    return whole.exit_code


def replay(file: Path, root: Path) -> int:
    """Run a failure of a campaign once more, without it; the exit code. Raises UsageError."""
    from wheelproof import documents
    from wheelproof.campaign.kind import FAILURE, Request
    from wheelproof.campaign.kind import campaign as campaign_of
    from wheelproof.campaign.work import result_of
    from wheelproof.console import visible
    from wheelproof.verdict import exit_code

    document = documents.read(file, FAILURE)
    try:
        request = Request.read(document.object("request").value)
    except (TypeError, KeyError) as error:
        raise document.fault("request", f"is no request ({error})") from None
    subject, unit = campaign_of(request, root.resolve()), document.text("unit")
    if unit not in subject.units():
        raise document.fault("unit", "is no unit of this campaign")
    result = result_of(subject, unit, document)
    for text in document.texts("says"):
        print(visible(text))
    for row in result.rows:
        print(visible(f"{row.title()}: {row.verdict}{': ' * bool(row.why)}{row.why}"))
    return exit_code(result.rows)


def is_failure(file: Path) -> bool:
    """Whether a file says that it is a failure of a campaign. Raises UsageError."""
    from wheelproof import reading
    from wheelproof.campaign.kind import FAILURE

    return f'"{FAILURE}"'.encode() in reading.content(file)[:200]
