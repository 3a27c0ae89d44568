from wheelproof.tlc.messages import Code, Line, Message, Truncated, read_messages


def read(text):
    return list(read_messages(text.splitlines(keepends=True)))


def framed(code, text, severity=0):
    return f"@!@!@STARTMSG {code}:{severity} @!@!@\n{text}\n@!@!@ENDMSG {code} @!@!@\n"


def test_frames_and_the_lines_between_them():
    assert read(
        "Parsing file A.tla\n" + framed(2110, "Invariant I is violated.", 1) + "printed\r\n"
    ) == [
        Line("Parsing file A.tla"),
        Message(Code.INVARIANT, 1, "Invariant I is violated."),
        Line("printed"),
    ]


def test_text_of_several_lines_and_none():
    assert read(framed(2217, "1: <Initial predicate>\n/\\ x = 1\n")) == [
        Message(2217, 0, "1: <Initial predicate>\n/\\ x = 1\n"),
    ]
    assert read("@!@!@STARTMSG 1:0 @!@!@\n@!@!@ENDMSG 1 @!@!@\n") == [Message(1, 0, "")]


def test_frame_within_a_frame_from_the_middle_of_a_line_on():
    inner = "The exception was\n: " + framed(5006, "no = found").rstrip()
    assert read(framed(1000, inner, 1)) == [
        Message(Code.GENERAL, 1, "The exception was\n: \nno = found")
    ]


def test_start_in_the_middle_of_a_printed_line():
    assert read("printed" + framed(2186, "Finished")) == [
        Line("printed"),
        Message(Code.FINISHED, 0, "Finished"),
    ]


def test_output_that_breaks_off_within_a_message():
    whole = framed(2193, "No error has been found.\nmore")
    assert read(whole)[-1] == Message(Code.SUCCESS, 0, "No error has been found.\nmore")
    for length in range(whole.index("\n") + 1, whole.index("@!@!@ENDMSG")):
        assert read(whole[:length]) == [Truncated(Code.SUCCESS)]
    nested = framed(1000, framed(2184, "x"))
    assert read(nested[: nested.rindex("@!@!@ENDMSG")]) == [Truncated(Code.GENERAL)]


def test_an_end_without_a_start_is_no_message():
    assert read("@!@!@ENDMSG 2193 @!@!@\n") == []
