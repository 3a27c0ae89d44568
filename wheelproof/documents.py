"""The tool's JSON files: each is written whole or not at all, and read field by field.

A reader that finds something unexpected names the file, the field and the expected value. It
never fills in a default for a required field: a damaged result must not look like a good one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wheelproof import files, reading
from wheelproof.errors import ToolError, UsageError
from wheelproof.names import TITLE, WORD, is_title, is_word

_NAMES = {
    str: "a string",
    bool: "true or false",
    dict: "an object",
    list: "an array",
    int: "a whole number",
}


def write_text(path: Path, text: str, remedy: str = "Choose another folder with --output.") -> None:
    """Write a text in UTF-8, whole or not at all. Raises ToolError."""
    try:
        files.replace(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ToolError(f"{path} cannot be written ({error.strerror}).", remedy) from error


def encode(document: Mapping[str, Any]) -> str:
    """The text of a document, equal for equal documents. ASCII and without NaN."""
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def indented(element: Mapping[str, Any]) -> str:
    """The text of an element of an array, as `joined` takes it."""
    return encode(element).rstrip().replace("\n", "\n  ")


def joined(document: Mapping[str, Any], name: str, elements: Sequence[str]) -> str:
    """The text of a document whose last field is an array of these elements, as of `encode`."""
    head = encode(document).removesuffix("\n}\n")
    rows = ",\n  ".join(elements)
    return f'{head},\n "{name}": ' + (f"[\n  {rows}\n ]" if elements else "[]") + "\n}\n"


def write(path: Path, document: Mapping[str, Any]) -> None:
    """Writes a document with `encode` and `write_text`."""
    write_text(path, encode(document))


def read(path: Path, schema: str) -> "Record":
    """The document in a file. UsageError unless its field `schema` is the given one."""
    return parsed(path, reading.content(path), schema)


def foreign(path: Path) -> Any:
    """The JSON of a file of another tool, such as a trace in ITF; UsageError where it is none."""
    try:
        return json.loads(reading.text(path), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{path} is not a JSON document ({error}).", "Correct the file."
        ) from error


def parsed(path: Path, content: bytes, schema: str) -> "Record":
    """The document that a content is. ``path``: how errors name it. Raises as :func:`read`."""
    try:
        value = json.loads(reading.decoded(content, path), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise UsageError(
            f"{path} is not a JSON document ({why}).", "Give a file that Wheelproof wrote."
        ) from error
    if not isinstance(value, dict):
        raise UsageError(
            f"{path} holds no JSON object.", f"Expected a document of the schema {schema}."
        )
    document = Record(path, "", value)
    if (schema_there := value.get("schema")) != schema:
        phrase = "no schema" if schema_there is None else f"the schema {schema_there!r}"
        raise UsageError(
            f"{path} has {phrase}, expected {schema!r}.", "Make the file anew with this version."
        )
    return document


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not allowed")


class Record:
    """An object inside a document, with its file and its place. Each method reads one field."""

    def __init__(self, file: Path, where: str, value: dict[str, Any]) -> None:
        self.file, self.where, self.value = file, where, value

    def fault(self, name: str, message: str) -> UsageError:
        """The error for a field of this object, ready to be raised."""
        return UsageError(
            f"{self.file}: field {self._place(name)} {message}.",
            "Correct the field, or make the file again.",
        )

    def text(self, name: str) -> str:
        text: str = self._value_of_type(name, str)
        return text

    def word(self, name: str) -> str:
        """A name: a string that files and commands may be made with."""
        return self._word(name, self.text(name))

    def title(self, name: str) -> str:
        """The name of a check: words with one space between them."""
        text = self.text(name)
        if not is_title(text):
            raise self.fault(name, f"must be a name, of {TITLE}, not {_excerpt(text)}")
        return text

    def optional_word(self, name: str) -> str:
        """A name, or ""."""
        text = self.text(name)
        return text and self._word(name, text)

    def words(self, name: str) -> tuple[str, ...]:
        """An array of names."""
        texts = self.texts(name)
        for position, text in enumerate(texts):
            self._word(f"{name}[{position}]", text)
        return texts

    def optional_text(self, name: str) -> str | None:
        """A string, or None where the field is null or absent."""
        return None if self.value.get(name) is None else self.text(name)

    def flag(self, name: str) -> bool:
        flag: bool = self._value_of_type(name, bool)
        return flag

    def number(self, name: str) -> float:
        """A number that is not negative."""
        value = self._present(name)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 0 <= value < float("inf")
        ):
            raise self.fault(name, f"must be a number that is not negative, not {_excerpt(value)}")
        return value

    def optional_index(self, name: str, last: int) -> int | None:
        """A whole number from 0 to `last`, or None where the field is null or absent."""
        if self.value.get(name) is None:
            return None
        number: int = self._value_of_type(name, int)
        if not 0 <= number <= last:
            raise self.fault(name, f"must be from 0 to {last}, not {number}")
        return number

    def object(self, name: str) -> "Record":
        return Record(self.file, self._place(name), self._value_of_type(name, dict))

    def objects(self, name: str) -> Iterator["Record"]:
        """The objects of an array."""
        for position, item in enumerate(self._value_of_type(name, list)):
            place = f"{name}[{position}]"
            if not isinstance(item, dict):
                raise self.fault(place, f"must be an object, not {_excerpt(item)}")
            yield Record(self.file, self._place(place), item)

    def texts(self, name: str) -> tuple[str, ...]:
        """An array of strings."""
        items = self._value_of_type(name, list)
        for position, item in enumerate(items):
            if not isinstance(item, str):
                raise self.fault(f"{name}[{position}]", f"must be a string, not {_excerpt(item)}")
        return tuple(items)

    def text_by_name(self, name: str) -> dict[str, str]:
        """An object whose values are all strings."""
        inner = self.object(name)
        return {key: inner.text(key) for key in inner.value}

    def flag_by_name(self, name: str) -> dict[str, bool]:
        """An object whose values are all true or false."""
        inner = self.object(name)
        return {key: inner.flag(key) for key in inner.value}

    def _word(self, name: str, text: str) -> str:
        if not is_word(text):
            raise self.fault(name, f"must be a name, of {WORD}, not {_excerpt(text)}")
        return text

    def _place(self, name: str) -> str:
        return f"{self.where}.{name}" if self.where else name

    def _present(self, name: str) -> Any:
        if name not in self.value:
            raise self.fault(name, "is missing")
        return self.value[name]

    def _value_of_type(self, name: str, kind: type) -> Any:
        value = self._present(name)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.fault(name, f"must be {_NAMES[kind]}, not {_excerpt(value)}")
        return value


def _excerpt(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
