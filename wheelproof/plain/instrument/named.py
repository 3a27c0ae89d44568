"""Code that takes by name: attributes, items and methods in C, variables of modules."""

from __future__ import annotations

import functools
import operator
import string
import sys
import types
from _string import formatter_field_name_split  # type: ignore[import-not-found]
from collections.abc import Callable, Mapping, Sequence
from importlib.util import resolve_name
from typing import Any

from wheelproof.plain.execution import Execution
from wheelproof.plain.instrument.fields import Fields
from wheelproof.plain.sites import Site

GETTERS = frozenset({operator.attrgetter, operator.itemgetter, operator.methodcaller})


class ByName:
    """Takes the steps by the helpers of rewritten code. ``modules``: those of the world."""

    execution: Execution
    fields: Fields
    hooks: Mapping[str, Callable[..., Any]]
    modules: Mapping[str, types.ModuleType]

    def globals(self) -> dict[str, Any]:
        """``globals`` of the code that calls this."""
        variables = sys._getframe(1).f_globals
        module = self._module(variables["__name__"])
        if self.execution.running is not None and module is not None:
            self.fields.register(module)
        return variables

    def imported(self, value: Any, name: str, level: int, variable: str, site: Site) -> Any:
        """A variable that a function imports, as it is now."""
        if self.execution.running is None:
            return value
        package = sys._getframe(1).f_globals.get("__package__")
        module = self._module(resolve_name("." * level + name, package) if level else name)
        if module is None or not self.fields.is_announced(module, variable):
            return value
        return self.hooks["load"](module, variable, site)

    def _module(self, name: str) -> types.ModuleType | None:
        return self.modules.get(name) or sys.modules.get(name)

    def getter(self, site: Site, function: Any, value: Any) -> Any:
        """A call of an attrgetter, an itemgetter or a methodcaller."""
        make, names = function.__reduce__()
        if type(function) is operator.methodcaller:
            keywords = make.keywords if type(make) is functools.partial else {}
            name, *arguments = (make.args if keywords else names[:1]) + names[not keywords :]
            return self.hooks["method"](value, name, site)(*arguments, **keywords)
        take = self._item if type(function) is operator.itemgetter else self._attributes
        parts = tuple(take(value, name, site) for name in names)
        return parts if len(parts) > 1 else parts[0]

    def _attributes(self, value: Any, names: str, site: Site) -> Any:
        for name in names.split("."):
            site.type = None
            value = self.hooks["load"](value, name, site)
        return value

    def _item(self, value: Any, item: Any, site: Site) -> Any:
        return self.hooks["get_item"](value, item, site)

    def formatted(self, site: Site, template: str, *arguments: Any, **keywords: Any) -> str:
        """``str.format``, whose fields may name attributes and items of its arguments."""
        return _Formatter(self, site).vformat(template, arguments, keywords)


class _Formatter(string.Formatter):
    def __init__(self, by_name: ByName, site: Site) -> None:
        self._named, self._site = by_name, site

    def get_field(
        self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Any, Any]:
        first, rest = formatter_field_name_split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, name in rest:
            self._site.type = None
            take = self._named._attributes if is_attribute else self._named._item
            value = take(value, name, self._site)
        return self._named.hooks["shown"](value, self._site), first
