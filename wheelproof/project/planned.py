"""The plan of a project: the rows that its verification has to make, in ``spec/plan.json``.

Only ``wheelproof list --update-plan`` writes it, and ``wheelproof init`` for its own mechanism. A
run compares its rows with this file: see :mod:`wheelproof.checks.planned`.

The file has the schema ``wheelproof.plan/1``. Per mechanism it has ``rows``: profile -> layers ->
the names that have a row in each of these layers; and ``figures``: profile -> layer -> parts of
rows, such as controls, with their number. The number is one for each label where they have labels;
a list has labels of one part each. Names are in the order of their declarations.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wheelproof import documents
from wheelproof.documents import Record
from wheelproof.verdict import LAYERS

SCHEMA = "wheelproof.plan/1"
FILE = "plan.json"
COMMAND = "wheelproof list --update-plan"
PROFILES = ("fast", "nightly")
WIDTH = 100
"""Columns of the file."""

Number = int | Mapping[str, int]
"""A number of parts, or the numbers by label."""


@dataclass(frozen=True)
class Planned:
    """One row."""

    profile: str
    """The first profile that makes it."""
    figures: Mapping[str, Mapping[str, Number]] = field(default_factory=dict)
    """Profile -> name -> number of parts. Those of ``fast`` hold by night too, unless ``nightly``
    has another number.
    """

    def numbers(self, profile: str) -> dict[str, Number]:
        """The figures that the row has in a run of a profile."""
        numbers = dict(self.figures.get("fast", {}))
        return numbers if profile == "fast" else numbers | dict(self.figures.get("nightly", {}))


Rows = dict[tuple[str, str], Planned]
"""(layer, name) -> a row."""

Plan = dict[str, Rows]
"""Mechanism -> its rows."""


def read(folder: Path) -> Plan | None:
    """The plan of a ``spec`` folder; None where there is none. UsageError for a wrong field."""
    file = folder / FILE
    if not file.exists():
        return None
    mechanisms = documents.read(file, SCHEMA).object("mechanisms")
    return {name: _rows(mechanisms.object(name)) for name in mechanisms.value}


def _rows(record: Record) -> Rows:
    profiles: dict[tuple[str, str], str] = {}
    groups = record.object("rows")
    for profile in _profiles(groups):
        record_of_profile = groups.object(profile)
        for layers in record_of_profile.value:
            for layer in layers.split(", "):
                _check_layer(record_of_profile, layers, layer)
                for name in record_of_profile.texts(layers):
                    if (layer, name) in profiles:
                        raise record_of_profile.fault(
                            layers, f"has the row {layer} / {name}, which is there twice"
                        )
                    profiles[layer, name] = profile
    figures = _figures(record.object("figures"), profiles)
    return {key: Planned(profile, figures.get(key, {})) for key, profile in profiles.items()}


def _figures(
    groups: Record, rows: Mapping[tuple[str, str], str]
) -> dict[tuple[str, str], dict[str, dict[str, Number]]]:
    figures: dict[tuple[str, str], dict[str, dict[str, Number]]] = {}
    for profile in _profiles(groups):
        record = groups.object(profile)
        for layer in record.value:
            _check_layer(record, layer, layer)
            for group in record.objects(layer):
                (figure, number) = _number(group)
                for name in group.texts("rows"):
                    if (layer, name) not in rows:
                        raise group.fault("rows", f"has {name}, which is no row of layer {layer}")
                    numbers = figures.setdefault((layer, name), {}).setdefault(profile, {})
                    if figure in numbers:
                        raise group.fault("rows", f"has {name}, whose {figure} are there twice")
                    numbers[figure] = number
    return figures


def _number(group: Record) -> tuple[str, Number]:
    """The figure of a group, and its number."""
    names = [name for name in group.value if name != "rows"]
    if len(names) != 1:
        raise group.fault("rows", "must stand beside one figure")
    value = group.value[names[0]]
    if isinstance(value, list):
        return names[0], dict(Counter(group.texts(names[0])))
    for number in value.values() if isinstance(value, dict) else [value]:
        if type(number) is not int or number < 0:
            raise group.fault(names[0], "must be a number, labels, or numbers by label")
    return names[0], value


def _profiles(groups: Record) -> Iterator[str]:
    for profile in groups.value:
        if profile not in PROFILES:
            raise groups.fault(profile, f"is no profile: {' or '.join(PROFILES)}")
        yield profile


def _check_layer(record: Record, place: str, layer: str) -> None:
    if layer not in LAYERS:
        raise record.fault(place, f"has {layer!r}, which is no layer")


def write(folder: Path, plan: Plan) -> None:
    """Write the file, whole or not at all."""
    parts = [_mechanism(name, rows) for name, rows in sorted(plan.items())]
    lines = ["{", f' "schema": "{SCHEMA}",', *_object("mechanisms", parts, 1), "}", ""]
    documents.write_text(folder / FILE, "\n".join(lines))


def _mechanism(name: str, rows: Rows) -> list[str]:
    """The lines of one mechanism."""
    layers_of: dict[tuple[str, str], list[str]] = {}
    for (layer, row), plan in rows.items():
        layers_of.setdefault((plan.profile, row), []).append(layer)
    by_layers: dict[str, dict[str, list[str]]] = {profile: {} for profile in PROFILES}
    for (profile, row), layers in layers_of.items():
        together = ", ".join(sorted(layers, key=LAYERS.index))
        by_layers[profile].setdefault(together, []).append(row)
    groups = [
        _object(
            profile, [_wrap_words(f"{json.dumps(key)}: ", by_layer[key], 5) for key in by_layer], 4
        )
        for profile, by_layer in by_layers.items()
    ]
    figures = [
        _object(profile, [_layer(layer, groups) for layer, groups in by_layer.items()], 4)
        for profile, by_layer in _groups(rows).items()
    ]
    return _object(name, [_object("rows", groups, 3), _object("figures", figures, 3)], 2)


Groups = dict[tuple[str, str], list[str]]
"""(figure, number as JSON) -> rows."""


def _groups(rows: Rows) -> dict[str, dict[str, Groups]]:
    """Profile -> layer -> the rows with the same number."""
    by_profile: dict[str, dict[str, Groups]] = {profile: {} for profile in PROFILES}
    for (layer, name), plan in rows.items():
        for profile, figures in plan.figures.items():
            for figure, number in figures.items():
                if isinstance(number, Mapping) and set(number.values()) == {1}:
                    value = json.dumps(list(number))
                else:
                    value = json.dumps(number)
                by_profile[profile].setdefault(layer, {}).setdefault((figure, value), []).append(
                    name
                )
    return by_profile


def _layer(layer: str, groups: Groups) -> list[str]:
    parts = []
    for (figure, number), names in groups.items():
        head = f'{{"{figure}": '
        whole = f'{" " * 6}{head}{number}, "rows": {json.dumps(names)}}}'
        if len(whole) < WIDTH:
            parts.append([whole])
            continue
        value = json.loads(number)
        if isinstance(value, list):
            first = _wrap_words(head, value, 6)
        else:
            first = [f"{' ' * 6}{head}{number}"]
        parts.append([*first[:-1], f"{first[-1]},", *_wrap_words('"rows": ', names, 7)])
        parts[-1][-1] += "}"
    return [f"{' ' * 5}{json.dumps(layer)}: [", *_commas(parts), f"{' ' * 5}]"]


def _object(name: str, parts: Iterable[list[str]], indent: int) -> list[str]:
    """The lines of an object whose fields have these lines."""
    lines, head = _commas(parts), f"{' ' * indent}{json.dumps(name)}: {{"
    return [head, *lines, f"{' ' * indent}}}"] if lines else [f"{head}}}"]


def _commas(parts: Iterable[list[str]]) -> list[str]:
    """The lines of elements, with a comma behind each but the last."""
    lines = [line for part in parts for line in (*part[:-1], f"{part[-1]},")]
    if lines:
        lines[-1] = lines[-1].removesuffix(",")
    return lines


def _wrap_words(head: str, texts: Iterable[str], indent: int) -> list[str]:
    """An array of texts behind a head, in lines of at most WIDTH columns where that can be."""
    tokens, margin = list(map(json.dumps, texts)), " " * indent
    whole = f"{margin}{head}[{', '.join(tokens)}]"
    if len(whole) < WIDTH:
        return [whole]
    lines, line = [f"{margin}{head}["], ""
    for token in tokens:
        if line and len(margin) + len(line) + len(token) + 4 > WIDTH:
            lines.append(f"{margin} {line},")
            line = token
        else:
            line = f"{line}, {token}" if line else token
    return [*lines, f"{margin} {line}", f"{margin}]"]


def differences(before: Plan, after: Plan) -> Iterator[str]:
    """Each row and number that differs, as a line such as ``less: atomic / mutant / X``.

    A mechanism that the plan did not have is one line.
    """
    for mechanism in sorted({*before, *after}):
        old, new = before.get(mechanism, {}), after.get(mechanism, {})
        if mechanism not in before:
            yield f"more: {mechanism}, a mechanism of {len(new)} checks"
            continue
        for key in dict.fromkeys((*old, *new)):
            title = f"{mechanism} / {' / '.join(key)}"
            if key not in new:
                yield f"less: {title}"
            elif key not in old:
                yield f"more: {title} ({new[key].profile})"
            else:
                yield from (f"{title}: {change}" for change in _changes(old[key], new[key]))


def _changes(old: Planned, new: Planned) -> Iterator[str]:
    if old.profile != new.profile:
        yield f"{old.profile} -> {new.profile}"
    for profile in PROFILES:
        numbers = old.figures.get(profile, {}), new.figures.get(profile, {})
        yield from unlike(*numbers, "by night " if profile == "nightly" else "")


def unlike(
    plan: Mapping[str, Number], there: Mapping[str, Number], when: str = ""
) -> Iterator[str]:
    """Each number of ``there`` that is another one than planned, by label where it has labels."""
    for figure in dict.fromkeys((*plan, *there)):
        was, now = plan.get(figure, 0), there.get(figure, 0)
        if not (isinstance(was, Mapping) or isinstance(now, Mapping)):
            if was != now:
                yield f"{figure} {when}{was} -> {now}"
            continue
        was, now = ({"": number} if isinstance(number, int) else number for number in (was, now))
        for label in dict.fromkeys((*was, *now)):
            if was.get(label, 0) != now.get(label, 0):
                text = f"{figure} of {label}" if label else figure
                yield f"{text} {when}{was.get(label, 0)} -> {now.get(label, 0)}"
