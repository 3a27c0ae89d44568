"""One Spark session for all tests: small, and compiled quickly instead of well."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

pytest.importorskip("pyspark", reason="the extra `data` is not installed: make setup-data")

from wheelproof.errors import ToolError  # noqa: E402
from wheelproof.pipeline.session import SessionOptions, build  # noqa: E402


@pytest.fixture(scope="session")
def spark() -> Iterator[object]:
    try:
        made = build(
            SessionOptions(
                master="local[2]",
                memory="1g",
                partitions=4,
                more={
                    "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m",
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
