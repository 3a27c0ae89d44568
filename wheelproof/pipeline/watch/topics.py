"""A topic of Kafka as the source of a watch, and as the place where violations go."""

from __future__ import annotations

import json
import re
import socket
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from wheelproof import artifacts, reading
from wheelproof.artifacts import Artifact
from wheelproof.console import visible
from wheelproof.errors import ToolError, UsageError
from wheelproof.pipeline import staging
from wheelproof.pipeline.watch import sinks
from wheelproof.pipeline.watch.ledger import Ledger
from wheelproof.pipeline.watch.source import CHECKPOINT, Lag
from wheelproof.pipeline.watch.waiting import LOOK_SECONDS, Waiting
from wheelproof.trace import topics
from wheelproof.trace.topics import Address

if TYPE_CHECKING:
    from py4j.java_gateway import JavaObject, JVMView
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")

JARS = (
    Artifact(
        "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
        "64539c45e5d39f7ddb747312c239f38f5208d08c1a0ddf7d70beb2fbd9373705",
    ),
    Artifact(
        "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.2.0",
        "641c7947afc8aa1189e433b7c2d305293993c8691bc1c2062d6d4f513b12518c",
    ),
    Artifact(
        "org.apache.kafka:kafka-clients:3.9.2",
        "014b4ef36884478a932641818b080c36a8f8e2e92dc771e800c9d2694f4f83d8",
    ),
    Artifact(
        "org.apache.commons:commons-pool2:2.13.1",
        "f77a5060d6936a9144023584232f9de3f2248f1abfe156e9d31795f18770674f",
    ),
)
"""Spark's connector, and its jars that pyspark lacks."""

RECORDS = 100_000
"""Records of a micro-batch at most."""

UNNAMED = "the record has no key, or no number of a line in its header " + topics.LINE

_AWAY = re.compile(
    r"org\.apache\.kafka\.(?:common\.errors\.\w+|common\.KafkaException|common\.config\.Config)"
)
_ABSENT = "UnknownTopicOrPartitionException"
_LOST = re.compile(r"KAFKA_DATA_LOSS|data loss|OffsetOutOfRangeException", re.IGNORECASE)


def jars() -> dict[str, str]:
    """The settings of a session that reads and writes topics. Raises ToolError: a jar is absent."""
    files: list[str] = []
    for jar in JARS:
        try:
            files.append(str(artifacts.locate(jar, fetch=True).path))
        except ToolError as error:
            raise ToolError(
                f"The jar {jar.coordinate}, by which Spark reads topics, was not found "
                f"({error.message}).",
                "Connect to a network and run it again, with Maven or with "
                "`pip install 'wheelproof[fetch]'`.",
            ) from error
    return {"spark.jars": ",".join(files)}


class Topic:
    """Recordings in a topic."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.spark: SparkSession | None = None
        self.output: Path | None = None

    def __str__(self) -> str:
        return str(self.address)

    def check(self, output: Path) -> None:
        """A broker answers when Java runs: see :meth:`rows`."""

    def settings(self) -> dict[str, str]:
        return jars()

    def owns(self, name: str) -> bool:
        return name.startswith((f"{self.address.topic}/", f"{self.address.topic}, "))

    def rows(self, spark: SparkSession, ledger: Ledger, output: Path, once: bool) -> DataFrame:
        there(spark, self.address)
        self.spark, self.output = spark, output
        records = (
            spark.readStream.format("kafka")
            .options(
                subscribe=self.address.topic,
                includeHeaders=True,
                startingOffsets="earliest",
                failOnDataLoss=True,
                maxOffsetsPerTrigger=RECORDS,
            )
            .option("kafka.bootstrap.servers", self.address.servers)
            .load()
        )
        return judged(records, self.address.topic)

    def look(self) -> None:
        """Spark looks itself."""

    def answers(self, spark: SparkSession, error: Exception) -> bool:
        text = str(error)
        if _LOST.search(text):
            raise ToolError(
                f"Records of {self.address} were removed before the watch had read them.",
                "Keep them for longer (retention.ms of the topic), and watch with another "
                "--output.",
            ) from error
        if not _AWAY.search(text):
            return False
        print(
            visible(f"{topics.no_answer(self.address)} The watch waits for it."),
            file=sys.stderr,
            flush=True,
        )
        while True:
            _await_port(self.address)
            try:
                there(spark, self.address)
                return True
            except ToolError:
                time.sleep(LOOK_SECONDS)

    def lag(self, lines: Mapping[str, int], batch: int) -> Lag:
        if self.spark is None or self.output is None:
            return "records", None
        try:
            spark = self.spark
            latest = Waiting(lambda: _answer(spark, self.address, _latest)).value()
        except Exception:  # the broker is away, or Java ends
            return "records", None
        return "records", behind(latest, self.output / CHECKPOINT / "offsets" / str(batch))


def behind(latest: Mapping[str, int], offsets: Path) -> int:
    """Records behind the offsets of a micro-batch, in Spark's file; all where there is none."""
    judged_offsets: Mapping[str, int] = {}
    if offsets.is_file():
        (judged_offsets,) = json.loads(reading.text(offsets).splitlines()[-1]).values()
    return sum(max(0, at - judged_offsets.get(partition, 0)) for partition, at in latest.items())


def judged(records: DataFrame, topic: str) -> DataFrame:
    """Records of a topic, as ``staging.judged`` has lines. One that does not say which line it is
    goes to quarantine under the name of its partition."""
    from pyspark.sql import functions as F

    numbers = F.filter("headers", lambda header: header["key"] == topics.LINE)
    number = F.get(numbers, F.lit(0))["value"].cast("string").cast("long")
    is_named = F.col("key").isNotNull() & F.coalesce(number >= 1, F.lit(False))
    key, value = (F.col(name).cast("string") for name in ("key", "value"))
    name = F.concat(F.lit(f"{topic}/"), F.make_valid_utf8(key))
    is_text = F.coalesce(F.is_valid_utf8(value), F.lit(True))
    none = F.concat(F.lit(f"{topic}, partition "), F.col("partition").cast("string"))
    lines = records.select(
        F.when(is_named, name).otherwise(none).alias("address"),
        F.when(is_named, number).otherwise(F.col("offset") + 1).alias("row"),
        F.when(is_text, F.coalesce(value, F.lit("")))
        .otherwise(F.concat(F.lit("no UTF-8: "), F.make_valid_utf8(value)))
        .alias("value"),
    )
    is_unnamed = F.col("address").startswith(f"{topic}, ")
    return staging.judged(staging.parsed(lines)).withColumns(
        {
            "mark": F.when(~is_unnamed, F.col("mark")),
            "reason": F.when(is_unnamed, UNNAMED).otherwise(F.col("reason")),
        }
    )


def _await_port(address: Address) -> None:
    """Wait until something listens at one of the servers."""
    while True:
        for server in address.servers.split(","):
            host, _, port = server.rpartition(":")
            try:
                socket.create_connection((host.strip("[]"), int(port)), LOOK_SECONDS).close()
                return
            except OSError:
                pass
        time.sleep(LOOK_SECONDS)


def there(spark: SparkSession, address: Address) -> None:
    """Raise ToolError where no broker answers, and UsageError where the topic is absent."""
    try:
        Waiting(lambda: _answer(spark, address, _description)).value()
    except Exception as error:
        text = str(error)
        if _ABSENT in text:
            raise UsageError(
                f"{topics.no_topic(address)}", topics.CREATE.format(address=address)
            ) from error
        if not _AWAY.search(text):
            raise
        raise ToolError(
            topics.no_answer(address), "Start it, or correct HOST:PORT, and watch again."
        ) from error


def _answer(
    spark: SparkSession, address: Address, ask: Callable[[JVMView, JavaObject, str], T]
) -> T:
    """The answer of a broker, by Kafka's own client in Java."""
    java = spark._jvm
    assert java is not None
    values = java.java.util.HashMap()
    values.put("bootstrap.servers", address.servers)
    for name in ("default.api.timeout.ms", "request.timeout.ms"):
        values.put(name, str(1000 * topics.ANSWER_SECONDS))
    admin: JavaObject = java.org.apache.kafka.clients.admin.Admin.create(values)
    try:
        return ask(java, admin, address.topic)
    finally:
        admin.close()


def _description(java: JVMView, admin: JavaObject, topic: str) -> JavaObject:
    names = java.java.util.ArrayList()
    names.add(topic)
    return admin.describeTopics(names).allTopicNames().get().get(topic)


def _latest(java: JVMView, admin: JavaObject, topic: str) -> dict[str, int]:
    """Partition -> the offset of its next record."""
    places = java.java.util.HashMap()
    latest = java.org.apache.kafka.clients.admin.OffsetSpec.latest()
    for partition in _description(java, admin, topic).partitions():
        place = java.org.apache.kafka.common.TopicPartition(topic, partition.partition())
        places.put(place, latest)
    offsets = admin.listOffsets(places).all().get()
    return {str(place.partition()): offsets.get(place).offset() for place in offsets.keySet()}


class TopicSink:
    """Violations as records of a topic: the key is the id, and the value the line of
    ``violations.jsonl``."""

    def __init__(self, spark: SparkSession, address: Address) -> None:
        self.spark, self.address = spark, address
        there(spark, address)

    def tell(self, violations: sinks.Named) -> None:
        lines = [(name, sinks.line(name, violation)) for name, violation in violations.items()]
        try:
            (
                self.spark.createDataFrame(lines, "key string, value string")
                .coalesce(1)
                .write.format("kafka")
                .option("kafka.bootstrap.servers", self.address.servers)
                .option("topic", self.address.topic)
                .save()
            )
        except Exception as error:
            if not _AWAY.search(str(error)):
                raise
            raise ToolError(
                f"{topics.no_answer(self.address)} Violations could not be sent.",
                "Start it, and watch again: they are sent then.",
            ) from error
