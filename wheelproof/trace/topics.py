"""Recordings in topics of Kafka: the names of topics, and the parts of a record.

A record has one line of a recording. Its key is the recording's name, so that all of its records
are in one partition, in their order. Its header :data:`LINE` has the number of the line, from 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wheelproof.errors import UsageError

SCHEME = "kafka://"
LINE = "wheelproof-line"
"""The header of a record with the number of its line, in decimal digits."""

ANSWER_SECONDS = 15
"""How long a broker may take for its first answer."""

_SERVER = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(?P<port>[0-9]{1,5})")
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_REMEDY = f"Write {SCHEME}HOST:PORT/TOPIC, with commas between several HOST:PORT."


@dataclass(frozen=True)
class Address:
    """A topic, and the brokers of the first connection with commas between them."""

    servers: str
    topic: str

    def __str__(self) -> str:
        return f"{SCHEME}{self.servers}/{self.topic}"


def is_address(text: str) -> bool:
    """Whether a text on a command line stands for a topic and for no path."""
    return text.startswith(SCHEME)


def parsed(text: str) -> Address:
    """The address in a URL. Raises UsageError where it is none."""
    servers, slash, topic = text.removeprefix(SCHEME).partition("/")
    if not is_address(text) or not slash:
        raise UsageError(f"{text} names no topic.", _REMEDY)
    for server in servers.split(","):
        match = _SERVER.fullmatch(server)
        if match is None or not 0 < int(match["port"]) < 1 << 16:
            raise UsageError(f"{text}: {server or 'nothing'} is no HOST:PORT.", _REMEDY)
    if not _TOPIC.fullmatch(topic) or topic in (".", ".."):
        raise UsageError(
            f"{text}: {topic or 'nothing'} is no name of a topic.",
            "A name has letters, digits, dots, - and _, and 249 signs at most.",
        )
    return Address(servers, topic)


def no_answer(address: Address) -> str:
    """The message where no broker answers."""
    return f"No broker of Kafka answers at {address.servers}."


def no_topic(address: Address) -> str:
    """The message where a topic is absent."""
    return f"The broker at {address.servers} has no topic {address.topic}."


CREATE = "Make it: wheelproof trace publish --create 1 FILE {address}"
"""The remedy where a topic is absent."""
