"""Manifests and blocks: whole, of one campaign, and refused by name where they are not."""

import json
import shutil

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.wheelproof.campaign import folders
from wheelproof.campaign import blocks, shipping
from wheelproof.campaign import manifest as manifests
from wheelproof.campaign.kind import Failure, Request, Result
from wheelproof.errors import ToolError, UsageError
from wheelproof.verdict import Verdict, judge


def result(name, verdict="exhaustive", failure=None):
    row = judge(
        "subject",
        "campaign",
        name,
        expected="exhaustive",
        verdict=verdict,
        property="order" if verdict == "violated" else None,
        figures={"numbers": 3},
        why="since",
        seconds=1.5,
    )
    return Result((row, row), failure)


@pytest.fixture
def campaign(project, tmp_path):
    subject, manifest = folders.begun(project, tmp_path / "campaign")
    return tmp_path / "campaign", manifest, subject


def kept(folder, manifest, number):
    results = {unit: result(unit) for unit in manifest.of_block(number)}
    blocks.keep(folder, manifest, number, results)
    return results


def test_a_manifest_is_read_as_it_was_written(campaign):
    folder, manifest, _ = campaign
    again = manifests.read(folder)
    assert again.identity == manifest.identity
    assert [*again.units] == [*manifest.units]
    assert again.blocks == 3 and len(again.of_block(2)) == 3
    assert json.loads((folder / manifests.MANIFEST).read_text())["units"] is None, (
        "seeds are a range"
    )


def test_a_block_comes_back_with_its_schema_its_rows_and_its_failure(campaign):
    folder, manifest, _ = campaign
    results = kept(folder, manifest, 1)
    unit = manifest.of_block(1)[2]
    failing = result(unit, "violated", Failure("text", ".py", "run {}"))
    assert failing.rows[0].verdict is Verdict.VIOLATED and not failing.rows[0].ok
    blocks.keep(folder, manifest, 1, results | {unit: failing})
    assert dict(blocks.load(folder, manifest, 1)) == results | {unit: failing}
    assert parquet.read_schema(manifests.file_of(folder, 1)).remove_metadata() == blocks.ROWS
    assert manifests.finished(folder, manifest) == {1}, "a block that is run twice is there once"


def truncated(file):
    file.write_bytes(file.read_bytes()[:-40])


def emptied(file):
    file.write_bytes(b"")


def flipped(file):
    """A bit of a page, which the decoder alone may take for another value."""
    content = bytearray(file.read_bytes())
    content[60] ^= 1
    file.write_bytes(bytes(content))


def without_a_unit(file):
    table = parquet.read_table(file)
    parquet.write_table(table.slice(2), file)


def doubled(file):
    table = parquet.read_table(file)
    parquet.write_table(pa.concat_tables([table, table.slice(0, 2)]), file)


def other_columns(file):
    parquet.write_table(parquet.read_table(file).drop_columns(["why"]), file)


def of_another_block(file):
    shutil.copy(file.with_name("000001.parquet"), file)


DAMAGES = (truncated, emptied, flipped, without_a_unit, doubled, other_columns, of_another_block)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_block_is_refused_with_the_remedy(campaign, damage):
    folder, manifest, _ = campaign
    kept(folder, manifest, 0)
    kept(folder, manifest, 1)
    assert list(blocks.load(folder, manifest, 0))
    damage(manifests.file_of(folder, 0))
    with pytest.raises(UsageError, match=r"000000.parquet is damaged: .+Remove the file"):
        list(blocks.load(folder, manifest, 0))


def test_a_block_of_another_campaign_is_refused(campaign, project, tmp_path):
    folder, manifest, _ = campaign
    _, other = folders.begun(project, tmp_path / "other", seeds=(0, 11))
    kept(tmp_path / "other", other, 0)
    kept(folder, manifest, 0)
    shutil.copy(manifests.file_of(tmp_path / "other", 0), manifests.file_of(folder, 0))
    with pytest.raises(UsageError, match="it is of another campaign"):
        list(blocks.load(folder, manifest, 0))


def test_a_manifest_of_another_release_is_refused(campaign):
    folder, _, _ = campaign
    file = folder / manifests.MANIFEST
    file.write_text(file.read_text().replace('"release": "', '"release": "9.'))
    with pytest.raises(UsageError, match=r"is of release 9\..+--fresh"):
        manifests.read(folder)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"seeds": (0, 13)}, "other choices"),
        ({"oracle": "oracles:Losing"}, "other choices"),
        ({"size": 4}, "blocks of 5 units, not 4"),
        ({"limit": 7.0}, "a limit of 60 s, not 7 s"),
    ],
)
def test_a_folder_of_another_campaign_is_refused_and_stays(campaign, project, changed, reason):
    folder, manifest, _ = campaign
    kept(folder, manifest, 0)
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    with pytest.raises(UsageError, match=f"has another campaign: with {reason}.+--fresh"):
        folders.begun(project, folder, **changed)
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before
    folders.begun(project, folder)


def test_a_campaign_whose_project_has_changed_is_refused_and_its_zip_stays(tmp_path):
    root, folder = folders.project(tmp_path / "project"), tmp_path / "campaign"
    folders.begun(root, folder)
    before = (folder / manifests.ARCHIVE).read_bytes()
    (root / "more.py").write_text("NUMBER = 1\n")
    with pytest.raises(UsageError, match="with the project's files as they were then"):
        folders.begun(root, folder)
    assert (folder / manifests.ARCHIVE).read_bytes() == before


def test_the_zip_has_the_project_and_the_tool_and_nothing_that_was_made(shipped, tmp_path):
    assert (shipped / "oracles.py").is_file() and (shipped / "wheelproof/cli.py").is_file()
    root = folders.project(tmp_path / "project")
    for name in (".git", "build", "__pycache__", "env"):
        (root / name).mkdir()
        (root / name / "file.py").write_text("")
    (root / "env" / "pyvenv.cfg").write_text("")
    with shipping.packed(root, tmp_path / "out", tmp_path / "a.zip") as digest:
        pass
    (root / "build" / "more.py").write_text("")
    with shipping.packed(root, tmp_path / "out", tmp_path / "b.zip") as again:
        pass
    assert digest == again
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    shutil.unpack_archive(tmp_path / "a.zip", tmp_path / "unpacked")
    inside = {file.name for file in (tmp_path / "unpacked").iterdir()}
    assert inside == {"oracles.py", "wheelproof", "wheelproof_runtime"}


def test_a_project_that_is_too_large_to_ship_is_refused(tmp_path, monkeypatch):
    root = folders.project(tmp_path / "project")
    monkeypatch.setattr(shipping, "MOST_BYTES", 100)
    with (
        pytest.raises(UsageError, match=r"go to each executor.+--subject"),
        shipping.packed(root, tmp_path / "out", tmp_path / "a.zip"),
    ):
        pass
    assert not (tmp_path / "a.zip").exists()


def test_a_folder_that_cannot_be_written_is_a_tool_error(project, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolError, match=r"cannot be made \(Not a directory\).+--output"):
        folders.begun(project, tmp_path / "file" / "campaign")


def test_a_folder_with_other_files_is_refused(project, tmp_path):
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(UsageError, match="is not empty, and no campaign"):
        folders.begun(project, tmp_path)


def test_a_request_survives_its_document():
    request = Request("verify", ("a", "b"), (3, 9), layers=("tlc",), count=4)
    assert Request.read(json.loads(json.dumps(request.document()))) == request
