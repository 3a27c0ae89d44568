"""The pinned jars of the layer, which is not run where one is absent."""

from collections.abc import Iterable
from pathlib import Path

from wheelproof import artifacts
from wheelproof.artifacts import Artifact
from wheelproof.errors import NothingChecked, ToolError

REMEDY = "Connect to a network and run it again, or install Maven."


class NotHere(NothingChecked):
    """The layer cannot run on this machine: a jar or a Java is absent. Nothing was checked."""


def locate(artifacts: Iterable[Artifact], fetch: bool) -> list[Path]:
    """The files of the artifacts; NotHere where one is absent and cannot be fetched."""
    return [_locate(artifact, fetch) for artifact in artifacts]


def _locate(artifact: Artifact, fetch: bool) -> Path:
    try:
        return artifacts.locate(artifact, fetch).path
    except ToolError as error:
        raise NotHere(
            f"The jar {artifact.coordinate} was not found ({error.message}).", REMEDY
        ) from error
