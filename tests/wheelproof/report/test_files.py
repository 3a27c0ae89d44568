"""The files of a run: traces lie below the output folder, and older files do not stay."""

from wheelproof import project
from wheelproof.report import files
from wheelproof.verdict import Results, read_results


def test_traces_are_read_below_the_output_folder_and_a_damaged_one_is_left_out(
    good, trace, tmp_path
):
    assert files.traces(good, tmp_path) == {}
    trace.write(tmp_path / "counterexamples" / "M1.json")
    assert files.traces(good, tmp_path) == {"counterexamples/M1.json": trace}
    (tmp_path / "counterexamples" / "M1.json").write_text("{}")
    assert files.traces(good, tmp_path) == {}


def test_publishing_twice_gives_the_same_bytes(good, trace, tmp_path, subject_folder):
    output = tmp_path / "build"
    trace.write(output / "counterexamples" / "M1.json")
    mechanisms = project.find(subject_folder)
    places = files.publish(output, good, mechanisms, subject_folder)
    first = {
        name: (output / name).read_bytes() for name in ("results.json", "junit.xml", "review.md")
    }
    assert sorted(places.values()) == sorted(str(output / name) for name in first)
    files.publish(output, read_results(output / "results.json"), mechanisms, subject_folder)
    assert {name: (output / name).read_bytes() for name in first} == first
    assert f"wheelproof replay {output}/counterexamples/M1.json" in first["review.md"].decode()


def test_a_run_that_begins_removes_what_an_older_one_reported(good, tmp_path, subject_folder):
    files.publish(tmp_path, good, {}, subject_folder)
    files.begin(tmp_path, Results.begin({}))
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["results.json"]
    assert not read_results(tmp_path / "results.json").complete
