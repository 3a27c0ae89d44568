import pytest

from wheelproof.python import LabelError, labels


def test_labels_are_read_by_line_and_kind():
    text = (
        "with a:  # lock A1, unlock A2\n"
        "    x = b.c  # read Ready10\n"
        "    y = 1  # nothing to do with it\n"
    )
    assert labels.of_source(text) == {1: {"lock": "A1", "unlock": "A2"}, 2: {"read": "Ready10"}}


@pytest.mark.parametrize(
    "comment",
    [
        "# lock a1",
        "# lock A",
        "# read A1 A2",
        "# write A1; unlock A2",
        "# read",
        "# lock A1, unlok A2",
        "#update U1 extra",
    ],
)
def test_a_comment_that_begins_like_a_label_and_is_none_is_an_error_with_its_place(comment):
    with pytest.raises(LabelError, match=r"impl/x.py:2: unreadable label"):
        labels.of_source(f"a = 1\nb = 2  {comment}\n", "impl/x.py")


def test_prose_is_left_alone():
    assert (
        labels.of_source(
            "a = 1  # locked by the caller\n# read twice, see below\nb = '# lock A1'\n"
        )
        == {}
    )


def test_a_label_needs_an_operation_on_its_line():
    with pytest.raises(LabelError, match=r"x.py:2: .*without an operation"):
        labels.of_source("a = 1\n# write A1\nb = 2\n", "x.py")


def test_one_kind_twice_on_a_line_is_an_error():
    with pytest.raises(LabelError, match="twice"):
        labels.of_source("a.b = c.d  # read A1, read A2\n")


def test_a_registry_of_more_kinds_can_be_read():
    assert labels.of_source("q.offer(x)  # offer Q1\n", kinds=labels.KINDS | {"offer"}) == {
        1: {"offer": "Q1"}
    }
    assert labels.of_source("q.offer(x)  # offer Q1\n") == {}


def test_names_and_kinds(cell):
    found = labels.of_source(cell.source)
    assert labels.names(found) == {
        "P1",
        "P2",
        "P3",
        "P4",
        "P5",
        "T1",
        "T2",
        "T3",
        "T4",
        "T5",
        "T6",
        "D1",
        "C1",
        "G1",
        "G2",
    }
    assert labels.kinds_by_name(found)["T5"] == "update"
