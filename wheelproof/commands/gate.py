"""``wheelproof mutate`` on the command line."""

from pathlib import Path
from typing import Annotated

import typer

from wheelproof.commands.options import (
    Json,
    Output,
    Profile,
    Quiet,
    Subject,
    check_apart,
    check_known,
    processors,
)

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="MECHANISM", help="Whose files to change; all without."),
]
Artefacts = Annotated[
    list[str] | None,
    typer.Option(
        "--artefact",
        metavar="A,B",
        help="impl, model, spec, harness, proofs, traces, jvm, tool; all without.",
    ),
]
Count = Annotated[
    int,
    typer.Option("--count", metavar="N", min=1, help="Changes of each mechanism and artefact."),
]
Total = Annotated[
    int,
    typer.Option(
        "--total",
        metavar="N",
        min=0,
        help="Changes of each artefact over all files, instead of --count.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="S", help="Which changes are drawn.")]
Listing = Annotated[bool, typer.Option("--list", help="Print the drawn changes and check nothing.")]
Minutes = Annotated[
    float,
    typer.Option(
        "--minutes",
        metavar="M",
        min=0,
        help="Begin no change after so many minutes; 0: no limit.",
    ),
]
ChosenProfile = Annotated[Profile, typer.Option("--profile", help="Which configs take part.")]
Bound = Annotated[
    int,
    typer.Option(
        "--bound", metavar="N", min=1, help="Leave out configs with more distinct states."
    ),
]
Tests = Annotated[bool, typer.Option("--tests/--no-tests", help="Whether unit tests take part.")]
Stage = Annotated[
    int,
    typer.Option(
        "--stage",
        metavar="N",
        min=0,
        help="The last stage of checks that takes part (docs/mutate.md).",
    ),
]
Keys = Annotated[
    list[str] | None,
    typer.Option("--change", metavar="KEY", help="Judge exactly this change; may be repeated."),
]
Processes = Annotated[
    int, typer.Option("--jobs", metavar="N", min=0, help="Processes; 0: one for each CPU.")
]


def mutate(
    mechanisms: Names = None,
    artefact: Artefacts = None,
    count: Count = 20,
    total: Total = 0,
    seed: Seed = 1,
    listing: Listing = False,
    minutes: Minutes = 0,
    profile: ChosenProfile = Profile.FAST,
    bound: Bound = 100_000,
    tests: Tests = True,
    stage: Stage = 9,
    change: Keys = None,
    root: Subject = Path("."),
    output: Output = Path("build/mutate"),
    jobs: Processes = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Change the project's files systematically; its checks must reject each change."""
    from wheelproof import project
    from wheelproof.mutate import command
    from wheelproof.mutate.change import ARTEFACTS, TESTED
    from wheelproof.mutate.draw import Options
    from wheelproof.mutate.plan import sources

    kinds = [name.strip() for names in artefact or [] for name in names.split(",") if name.strip()]
    check_known("artefact", kinds, ARTEFACTS)
    root = root.resolve()
    check_apart(root, output)
    mechanisms_there = project.find(root)
    files = [
        file.parent.name if name in TESTED else file.stem
        for name in ARTEFACTS
        for file in sources(root, name)
        if file.suffix == ".py" and file.stem != "__init__"
    ]
    check_known("mechanism", mechanisms or [], list(dict.fromkeys([*mechanisms_there, *files])))
    options = Options(
        mechanisms=tuple(dict.fromkeys(mechanisms or [])),
        artefacts=tuple(dict.fromkeys(kinds or ARTEFACTS)),
        count=count,
        seed=seed,
        root=root,
        output=output,
        jobs=jobs or processors(),
        profile=profile.value,
        bound=bound,
        minutes=minutes,
        tests=tests,
        stage=stage,
        keys=tuple(change or ()),
        total=total,
    )
    raise typer.Exit(
        command.listing(options, mechanisms_there)
        if listing
        else command.run(options, as_json, quiet)
    )
