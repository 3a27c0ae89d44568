import os
import sys
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.nights import only
from tests.wheelproof.damaged import DAMAGES, entries
from wheelproof.errors import ToolError, UsageError
from wheelproof.java import Java
from wheelproof.tlc import pluscal, process, translation, worker
from wheelproof.tlc.result import Outcome
from wheelproof.tlc.translation import State


def edit(module, old, new):
    text = module.read_text()
    assert text.count(old) >= 1
    module.write_text(text.replace(old, new, 1))


EDITS = {
    "algorithm": ("done[self] := lap;", "done[self] := lap + 0;"),
    "translation": ("/\\ baton' = self\n", '/\\ baton\' = "free"\n'),
    "checksum": ('chksum(pcal) = "', 'chksum(pcal) = "0'),
}


def test_committed_translation_is_current_and_the_file_only_read(spec, tools, tmp_path):
    module = spec("Relay")
    before = module.read_bytes()
    assert translation.state(module, **tools) is State.CURRENT
    translation.require_current(module, **tools)
    assert module.read_bytes() == before and os.listdir(tmp_path) == ["Relay.tla"]


@pytest.mark.parametrize("what", EDITS)
def test_edit_of_either_side_makes_it_stale_and_retranslation_current(what, spec, tools, tmp_path):
    module = spec("Relay")
    translation.retranslate(module, **tools)
    whole = module.read_text()
    edit(module, *EDITS[what])
    assert translation.state(module, **tools) is State.STALE
    with pytest.raises(
        UsageError,
        match=r"translation in .*Relay.tla is stale. Run `wheelproof translate .*Relay.tla`",
    ):
        translation.require_current(module, **tools)
    assert translation.retranslate(module, **tools) is True
    assert translation.state(module, **tools) is State.CURRENT
    assert translation.retranslate(module, **tools) is False
    assert (module.read_text() == whole) is (what != "algorithm")
    assert os.listdir(tmp_path) == ["Relay.tla"]


def test_tlc_is_not_believed_on_a_stale_translation(spec, tools, tmp_path):
    module = spec("Relay")
    edit(module, *EDITS["algorithm"])
    (tmp_path / "Relay.cfg").write_text('SPECIFICATION Spec\nCONSTANTS Runners = {"a"} Laps = 1\n')
    result = process.run(module, timeout=300, **tools)
    assert result.exit_code == 0
    assert result.outcome is Outcome.ERROR and "module Relay is stale" in result.explanation


def test_checksums_may_be_left_out_and_comments_changed(spec, tools):
    module = spec("Relay")
    start = module.read_text().index(" (chksum")
    edit(module, module.read_text()[start:].split("\n")[0], "")
    edit(module, "Runners pass a baton", "Läufer — pass a baton")
    assert translation.state(module, **tools) is State.CURRENT
    edit(module, *EDITS["translation"])
    assert translation.state(module, **tools) is State.STALE
    assert translation.retranslate(module, **tools) is True
    assert "Läufer — pass" in module.read_text()


def test_algorithm_without_translation_is_missing(spec, tools):
    module = spec("Relay")
    text = module.read_text()
    end = "\\* END TRANSLATION\n"
    module.write_text(text[: text.index("\\* BEGIN")] + text[text.index(end) + len(end) :])
    assert translation.state(module, **tools) is State.MISSING
    with pytest.raises(UsageError, match="is missing"):
        translation.require_current(module, **tools)


def test_plain_module_has_nothing_to_translate(spec, tools):
    assert translation.state(spec("Stair"), **tools) is State.NO_ALGORITHM
    translation.require_current(spec("Stair"), **tools)


def test_refused_algorithm_is_quoted_and_left_alone(spec, tools, tmp_path):
    module = spec("Relay")
    edit(module, "await baton", "awat baton")
    before = module.read_bytes()
    with pytest.raises(UsageError, match=r'refuses .*Relay.tla: Expected ":=" but found'):
        translation.retranslate(module, **tools)
    assert module.read_bytes() == before and os.listdir(tmp_path) == ["Relay.tla"]


def test_a_missing_file_is_named(spec, tools, tmp_path, monkeypatch):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    with pytest.raises(UsageError, match=r"absent.tla: cannot be read"):
        translation.state(tmp_path / "absent.tla", **tools)
    with pytest.raises(ToolError, match="java cannot be run"):
        translation.state(spec("Relay"), jar=tools["jar"], java=Java(tmp_path / "java", 17, "test"))
    broken = tmp_path / "lib" / "server"
    broken.mkdir(parents=True)
    with pytest.raises(ToolError, match="has no JVM library"):
        translation.state(
            spec("Relay"), jar=tools["jar"], java=Java(tmp_path / "bin" / "java", 17, "test")
        )
    (broken / "libjvm.so").write_text("")
    with pytest.raises(ToolError, match=r"PlusCal translator failed .*Check Java"):
        translation.state(
            spec("Relay"), jar=tools["jar"], java=Java(tmp_path / "bin" / "java", 17, "test")
        )


def test_a_jar_without_a_translator_is_named(spec, tools, tmp_path, monkeypatch):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    empty = tmp_path / "empty.jar"
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("nothing", "")
    with pytest.raises(ToolError, match=r"no PlusCal translator in .*empty.jar"):
        translation.state(
            spec("Relay"), java=tools["java"], jar=replace(tools["jar"], path=empty, sha256="0")
        )


# -- many at once, and the cache


def test_many_are_translated_by_one_process_and_kept(spec, tools, tmp_path, monkeypatch):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    text = spec("Relay").read_text()
    changed = [
        text,
        text.replace(*EDITS["algorithm"], 1),
        text.replace("await baton", "awat baton"),
        "no algorithm",
    ]
    begun = []
    plain = worker.subprocess.run
    monkeypatch.setattr(
        worker.subprocess,
        "run",
        lambda *args, **more: begun.append(args) or plain(*args, **more),
    )
    translation.prepare(changed, **tools)
    assert len(begun) == 1
    made = [translation.translated_text(each, "Relay", **tools) for each in changed[:2]]
    assert (
        len(begun) == 1
        and made[0] == text
        and "lap[self] + 0" in made[1].partition("BEGIN TRANSLATION")[2]
    )
    with pytest.raises(UsageError, match="refuses Relay: Expected"):
        translation.translated_text(changed[2], "Relay", **tools)
    assert len(begun) == 2, "a refusal is not kept"


def test_a_cache_that_cannot_be_written_to_is_no_error(spec, tools, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "file"))
    assert translation.state(spec("Relay"), **tools) is State.CURRENT


@pytest.fixture
def kept(spec, tools, tmp_path, monkeypatch):
    """A module whose translation is in a cache that each test may damage."""
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    module = spec("Relay")
    translation._translations().keep(
        translation._key(module.read_text(), tools["jar"]), module.read_bytes()
    )
    monkeypatch.setattr(worker.subprocess, "run", lambda *_, **__: pytest.fail("a translator"))
    assert translation.retranslate(module, **tools) is False
    monkeypatch.undo()
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    return module


@pytest.mark.parametrize("damage", only(DAMAGES, "empty"))
def test_a_damaged_translation_is_made_again_and_the_module_stays(kept, tools, tmp_path, damage):
    (file,) = entries(tmp_path / "cache")
    sound = kept.read_bytes()
    DAMAGES[damage](file)
    assert translation.retranslate(kept, **tools) is False and kept.read_bytes() == sound
    if damage != "a folder":
        assert translation._cache_entry(sound.decode(), tools["jar"]) == sound.decode()


@pytest.mark.parametrize("content", [b"", b"no module", b"\xff", b"---- MODULE Relay ----\n====\n"])
def test_a_translation_of_another_module_is_not_used(kept, tools, content):
    """Its digest is right, as where the tool itself had a fault when it was kept."""
    sound = kept.read_text()
    translation._translations().keep(translation._key(sound, tools["jar"]), content)
    assert translation._cache_entry(sound, tools["jar"]) is None


def test_a_translator_that_changes_the_module_is_refused(kept, tools, tmp_path, monkeypatch):
    (file,) = entries(tmp_path / "cache")
    file.unlink()

    def refusals(_module, _tool, copies, *_others):
        for copy in copies:
            copy.write_text(copy.read_text().replace("EXTENDS", "\nEXTENDS Sequences,", 1))
        return [""] * len(copies)

    monkeypatch.setattr(worker, "refusals", refusals)
    sound = kept.read_bytes()
    with pytest.raises(ToolError, match="changed more of a module than its translation"):
        translation.retranslate(kept, **tools)
    assert kept.read_bytes() == sound and entries(tmp_path / "cache") == []


class Translator:
    """A translator with one status, and messages of its own. ``calls``: its arguments."""

    def __init__(self, status, *messages):
        self.status, self.messages, self.calls = status, messages, []

    def runMe(self, arguments):
        self.calls.append(arguments)
        return self.status

    def getAllMessages(self):
        return self.messages


@pytest.mark.parametrize(
    ("status", "messages", "refusal"),
    [
        (0, ["Parsing completed.", "Translation completed."], ""),
        (0, [], "the translator ended with status 0: no message"),
        (0, ["Parsing completed."], "the translator ended with status 0: Parsing completed."),
        (1, ["Translation completed."], "the translator ended with status 1: Translation"),
        (1, ["Unrecoverable error:", " -- Beginning of algorithm", "not found."], "Beginning of"),
    ],
)
def test_a_translation_is_done_where_status_and_message_say_so(
    status, messages, refusal, monkeypatch
):
    translator = Translator(status, *messages)
    output = SimpleNamespace(
        TOOL=1,
        setMode=lambda _: None,
        reset=lambda: None,
        getAllMessages=translator.getAllMessages,
    )
    classes = {"pcal.trans": translator, "util.ToolIO": output}
    jpype = SimpleNamespace(startJVM=lambda *_, **__: None, JClass=classes.get)
    monkeypatch.setitem(sys.modules, "jpype", jpype)
    (answer,) = pluscal.refusals("jvm", "jar", ["A.tla"])
    assert answer.startswith(refusal) and bool(answer) is bool(refusal)
    assert translator.calls == [["-nocfg", "A.tla"]]
