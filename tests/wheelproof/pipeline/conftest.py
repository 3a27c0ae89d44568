"""One Spark session for all tests: small, and compiled quickly instead of well."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

pytest.importorskip("pyspark", reason="the extra `data` is not installed: make setup-data")

from tests.found import mechanisms
from tests.nights import only
from wheelproof.errors import ToolError
from wheelproof.pipeline.session import SessionOptions, build


@pytest.fixture(scope="session", params=only(["few", "all"], "few"))
def inputs(request, tmp_path_factory):
    """The traces of the one check that all tests share."""
    import inputs

    return inputs.write(tmp_path_factory.mktemp("traces with a space"), request.param)


PLAIN = {"spark.sql.adaptive.enabled": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""A plan is made once, and its expressions are evaluated as they are. For few traces Spark needs
longer to plan anew after each stage and to compile than to go through them."""


@pytest.fixture(scope="session")
def report(spark, inputs, tmp_path_factory):
    """What Spark finds in them, in few partitions of small pieces of files.

    By night it plans and compiles as the tool has it.
    """
    from wheelproof.pipeline import actions, validate

    settings = {
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.files.maxPartitionBytes": "1000000",
        "spark.sql.files.openCostInBytes": "2000",
        **(PLAIN if inputs.few else {}),
    }
    before = {name: spark.conf.get(name) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    kept, validate.KEPT = validate.KEPT, 1_000_000
    try:
        known = actions.table(mechanisms())
        scratch = tmp_path_factory.mktemp("scratch")
        return validate.check(spark, [inputs.folder], scratch, inputs.families, labels=known)
    finally:
        validate.KEPT = kept
        for name, value in before.items():
            spark.conf.set(name, value)


@pytest.fixture(scope="session")
def spark() -> Iterator[object]:
    try:
        made = build(
            SessionOptions(
                master="local[2]",
                memory="1g",
                partitions=4,
                more={
                    "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 "
                    "-XX:ReservedCodeCacheSize=256m",
                    "spark.sql.codegen.wholeStage": "false",
                },
            )
        )
    except ToolError as error:
        if "Java" in error.message:
            pytest.skip(f"not run: {error}")
        raise
    yield made
    made.stop()
