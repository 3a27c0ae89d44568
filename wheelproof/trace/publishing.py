"""Recordings as records of a topic, which the official client of Kafka for Python sends.

The file is the buffer: a line is read when the client has room for it, and none is dropped. Each
record bears the number of its line, so that lines may be sent again: a watch takes each once.
"""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from wheelproof import reading
from wheelproof.console import visible
from wheelproof.errors import ToolError, UsageError, WheelproofError, installation
from wheelproof.trace import topics
from wheelproof.trace.format import jsonl
from wheelproof.trace.topics import Address

if TYPE_CHECKING:
    from confluent_kafka import KafkaError, Message, Producer

LOOK_SECONDS = 0.2
"""Time between two looks at files that do not grow."""

ENDINGS = (".jsonl", ".jsonl.gz")
HEAD = 32
"""Bytes of a line in which a footer names itself."""

DELIVERY_MS = 120_000
"""Time for a record, in which a broker may be restarted."""


@dataclass
class Recording:
    """A file that is read. ``name``: the key of its records; ``ended``: its footer was read."""

    path: Path
    file: BinaryIO | gzip.GzipFile
    name: bytes = b""
    lines: int = 0
    ended: bool = False

    def added(self) -> Iterator[bytes]:
        """The whole lines that were added since, without their ends."""
        while True:
            place = self.file.tell()
            try:
                text = self.file.readline(reading.LINE)
            except (OSError, EOFError, zlib.error) as error:
                raise UsageError(
                    f"{self.path} cannot be read ({error}).", "Test a compressed file with gzip -t."
                ) from error
            if not text.endswith(b"\n"):
                if len(text) >= reading.LINE:
                    raise UsageError(f"{self.path}: a line has more than {reading.LINE >> 20} MB.")
                self.file.seek(place)
                return
            self.lines += 1
            if self.lines == 1:
                self.name = name_of(text, self.path).encode("utf-8", "replace")
            self.ended = self.ended or b'"footer"' in text[:HEAD]
            yield text[:-1]


def name_of(header: bytes, path: Path) -> str:
    """The name of a recording in a topic: its run_id, or that of its file."""
    with suppress(WheelproofError):
        name = jsonl.object_of(header, path, 1).get("run_id")
        if isinstance(name, str) and name:
            return name
    return path.name.removesuffix(".gz").removesuffix(".jsonl")


class Publisher:
    """A client that sends lines to a topic. Raises ToolError where it cannot."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.failure = ""
        self.client = self._client()

    def _client(self) -> Producer:
        try:
            from confluent_kafka import Producer
        except ImportError as error:
            raise ToolError(
                f"Publishing needs confluent-kafka, which is not installed ({error}).",
                installation("kafka", "setup-kafka"),
            ) from error
        return Producer(
            {
                "bootstrap.servers": self.address.servers,
                "enable.idempotence": True,  # a record that is sent again is there once, in order
                "compression.type": "lz4",
                "linger.ms": 20,
                "message.timeout.ms": DELIVERY_MS,
                "partitioner": "murmur2_random",  # Java's
                "log_level": 0,
                "allow.auto.create.topics": False,
            },
        )

    def check(self, create: int | None) -> None:
        """Make the topic with ``create`` partitions where it is absent.

        Raises ToolError where no broker answers, and UsageError where the topic is absent.
        """
        from confluent_kafka import KafkaException

        try:
            there = self.client.list_topics(timeout=topics.ANSWER_SECONDS).topics
        except KafkaException as error:
            raise self._away() from error
        if self.address.topic in there:
            return
        if create is None:
            raise UsageError(topics.no_topic(self.address), "Make it with --create 1.")
        from confluent_kafka.admin import AdminClient
        from confluent_kafka.cimpl import NewTopic

        admin = AdminClient({"bootstrap.servers": self.address.servers, "log_level": 0})
        futures = admin.create_topics([NewTopic(self.address.topic, num_partitions=create)])
        try:
            futures[self.address.topic].result()
        except KafkaException as error:
            raise ToolError(
                f"The topic {self.address.topic} cannot be made ({error.args[0].str()}).",
                "Make it with the tools of Kafka.",
            ) from error

    def _away(self) -> ToolError:
        return ToolError(
            topics.no_answer(self.address), "Start it, or correct HOST:PORT, and publish again."
        )

    def send(self, name: bytes, number: int, line: bytes) -> None:
        """Send a line, when there is room for it."""
        headers: list[tuple[str, str | bytes | None]] = [(topics.LINE, str(number).encode())]
        while True:
            try:
                self.client.produce(
                    self.address.topic, line, name, headers=headers, on_delivery=self._sent
                )
                break
            except BufferError:
                self.client.poll(LOOK_SECONDS)
                self.answered()
        self.client.poll(0)

    def _sent(self, error: KafkaError | None, message: Message) -> None:
        if error is not None and not self.failure:
            self.failure = error.str()

    def answered(self) -> None:
        """Raise ToolError where a record was not taken."""
        if self.failure:
            raise ToolError(
                f"A record was not taken by {self.address} ({self.failure}).",
                "Publish again when it answers: a watch takes each line once.",
            )

    def flush(self) -> None:
        """Wait until every record was taken."""
        while self.client.flush(LOOK_SECONDS):
            self.answered()
        self.answered()


def run(paths: list[Path], address: Address, follow: bool, create: int | None) -> int:
    """Send recordings; the exit code. ``follow``: until each has its footer."""
    for path in paths:
        if not path.name.endswith(ENDINGS[:1] if follow else ENDINGS):
            raise UsageError(
                f"{path} cannot be {'followed' if follow else 'published'}.",
                f"Name files {ENDINGS[0] if follow else ' or '.join(ENDINGS)}.",
            )
    publisher = Publisher(address)
    publisher.check(create)
    recordings: dict[Path, Recording] = {}
    try:
        while True:
            sent = sum(_send(publisher, path, recordings) for path in paths)
            is_over = all(path in recordings and recordings[path].ended for path in paths)
            if is_over or not follow:
                break
            if not sent:
                publisher.client.poll(0)
                publisher.answered()
                time.sleep(LOOK_SECONDS)
    except KeyboardInterrupt:
        publisher.flush()
        _report(recordings.values())
        raise
    finally:
        for recording in recordings.values():
            recording.file.close()
    publisher.flush()
    _report(recordings.values())
    return 0


def _send(publisher: Publisher, path: Path, recordings: dict[Path, Recording]) -> int:
    """Send the lines that were added to a file; their number."""
    if path not in recordings:
        if not path.exists():
            return 0
        file = reading.opened(path)
        unpacked = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
        recordings[path] = Recording(path, unpacked)
    recording = recordings[path]
    before = recording.lines
    for line in recording.added():
        if recording.lines == 1:
            _alone(recording, recordings)
        publisher.send(recording.name, recording.lines, line)
    return recording.lines - before


def _alone(recording: Recording, recordings: dict[Path, Recording]) -> None:
    """Raise UsageError where another recording has its name."""
    for other in recordings.values():
        if other is not recording and other.name == recording.name:
            raise UsageError(
                f"{other.path} and {recording.path} have one run_id, {recording.name.decode()}.",
                "Give each run a run_id of its own.",
            )


def _report(recordings: Iterable[Recording]) -> None:
    for recording in recordings:
        end = "to its footer" if recording.ended else "without a footer"
        print(visible(f"{recording.name.decode()}: {recording.lines:,} lines, {end}"))
