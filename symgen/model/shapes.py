"""Shapes: a small declarative language for trees of tables, lists, texts and numbers.

A shape can do two things, so that the reader and the published JSON Schema are one
source: `check` a value and note every problem with its dotted path, and give its
`schema` (JSON Schema, draft 2020-12).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from symgen.errors import MechanismError
from symgen.model.nearest import did_you_mean, list_names, nearest, show

MOST_PROBLEMS = 20  # a file that is wrong throughout is not compared to the end
Schema: TypeAlias = dict[str, Any]


@dataclass
class Problems:
    """Collects what is wrong, with dotted paths, and raises it as one error."""

    found: list[tuple[str, str]] = field(default_factory=list)
    listed: dict[tuple[str, ...], str] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        """True when enough has been noted."""
        return len(self.found) >= MOST_PROBLEMS

    def note(self, path: str, message: str) -> None:
        """Note a problem of the field at `path`."""
        self.found.append((path, message))

    def note_choices(self, path: str, message: str, choices: tuple[str, ...]) -> None:
        """Note a value that is none of some choices; they are listed once, at the first field that lacks one."""
        first = self.listed.setdefault(choices, path)
        if first == path:
            allowed = ", ".join(f'"{choice}"' for choice in choices)
            message = f"{message}; must be one of {allowed}".replace("?;", "? It")
        elif not message.endswith("?"):
            message += f"; allowed is what is listed for {first}"
        self.note(path, message)

    def keep(self, error: MechanismError) -> None:
        """Note a problem that was raised."""
        self.found.append((error.field or "", error.reason))

    def raise_any(self, file: str | None) -> None:
        """Raise the first problem, the others on lines of their own; nothing if there is none."""
        if not self.found:
            return
        (path, message), *others = self.found
        lines = [f"\n  {each}: {text}" if each else f"\n  {text}" for each, text in others]
        also = f"\n{len(others)} more:" if others else ""
        stopped = (
            f"\nreading stopped at {len(self.found)} problems; there may be more, which appear once these are corrected"
        )
        text = message + also + "".join(lines) + stopped * self.full
        raise MechanismError(text, file=file, field=path or None)


class Shape(Protocol):
    """What a value must look like."""

    def check(self, value: object, path: str, problems: Problems) -> None:
        """Note what is wrong with `value`, which stands at `path`."""

    def schema(self) -> Schema:
        """Return the JSON Schema of the shape."""


def below(path: str, key: str) -> str:
    """Return the dotted path of an entry."""
    shown = key[:60] if key.isprintable() else show(key)  # no control characters into a terminal
    return f"{path}.{shown}" if path else shown


def kind_of(value: object) -> str:
    """Return what a value is, in words of the file."""
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return f"a table ({list_names(map(str, list(value)[:3]))})" if value else "an empty table"
    names = {bool: "a truth value", str: "text", int: "a number", float: "a number", list: "a list", tuple: "a list"}
    return f"{names.get(type(value), type(value).__name__)} ({show(value)})"


@dataclass(frozen=True)
class Text:
    """Text, optionally one of `choices` or matching `pattern` (described by `pattern_is`).

    `words` are what people may write instead of a choice: known for a good answer, not accepted.
    """

    meaning: str
    choices: tuple[str, ...] = ()
    pattern: str = ""
    pattern_is: str = ""
    longest: int | None = None
    words: Mapping[str, str] = field(default_factory=dict)

    def check(self, value: object, path: str, problems: Problems) -> None:
        """Note a value that is not such a text."""
        if not isinstance(value, str):
            quoted = f': write "{value}"' if isinstance(value, int) and not isinstance(value, bool) else ""
            problems.note(path, f"must be text, found {kind_of(value)}{quoted[:80]}")
        elif self.choices and value not in self.choices:
            self._note_choices(value, path, problems)
        elif self.pattern and not re.fullmatch(self.pattern, value):
            problems.note(path, f"must be {self.pattern_is}, found {show(value)}")
        elif self.longest is not None and (len(value) > self.longest or not value.isprintable()):
            problems.note(path, f"must be at most {self.longest} printable characters on one line, found {show(value)}")

    def _note_choices(self, value: str, path: str, problems: Problems) -> None:
        if len(self.choices) == 1:
            problems.note(path, f'must be "{self.choices[0]}", found {show(value)}')
            return
        word = nearest(value, self.words)
        near = f'; did you mean "{self.words[word]}" ({word})?' if word else did_you_mean(value, self.choices)
        problems.note_choices(path, f"found {show(value)}{near}", self.choices)

    def schema(self) -> Schema:
        """Return the JSON Schema of the shape."""
        if len(self.choices) == 1:
            return {"const": self.choices[0], "description": self.meaning}
        if self.choices:
            return {"enum": list(self.choices), "description": self.meaning}
        pattern = {"pattern": f"^{self.pattern}$"} if self.pattern else {}
        longest = {"maxLength": self.longest} if self.longest is not None else {}
        return {"type": "string", **pattern, **longest, "description": self.meaning}


@dataclass(frozen=True)
class QuantityShape:
    """A number, or text with an expression (its value is looked at when the names are known)."""

    meaning: str

    def check(self, value: object, path: str, problems: Problems) -> None:
        """Note a value that is neither number nor text."""
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            problems.note(path, f"must be a number or text with an expression, found {kind_of(value)}")

    def schema(self) -> Schema:
        """Return the JSON Schema of the shape."""
        return {"type": ["number", "string"], "description": self.meaning}


@dataclass(frozen=True)
class Truth:
    """True or false."""

    meaning: str

    def check(self, value: object, path: str, problems: Problems) -> None:
        """Note a value that is no truth value."""
        if not isinstance(value, bool):
            problems.note(path, f"must be true or false, found {kind_of(value)}")

    def schema(self) -> Schema:
        """Return the JSON Schema of the shape."""
        return {"type": "boolean", "description": self.meaning}


@dataclass(frozen=True)
class ListOf:
    """A list of `least` to `most` entries of one shape."""

    entry: Shape
    least: int
    most: int
    meaning: str

    def check(self, value: object, path: str, problems: Problems) -> None:
        """Note a value that is no such list."""
        if not isinstance(value, (list, tuple)):
            problems.note(path, f"must be a list ({self.meaning}), found {kind_of(value)}")
            return
        if not self.least <= len(value) <= self.most:
            wants = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
            problems.note(path, f"must have {wants} entries ({self.meaning}), found {len(value)}")
            return
        for index, entry in enumerate(value):
            self.entry.check(entry, f"{path}[{index}]", problems)

    def schema(self) -> Schema:
        """Return the JSON Schema of the shape."""
        items = {"items": self.entry.schema(), "minItems": self.least, "maxItems": self.most}
        return {"type": "array", **items, "description": self.meaning}


@dataclass(frozen=True)
class TableShape:
    """A table of known keys; each entry of `fields` says its shape, `advice` what else a key could mean."""

    fields: Mapping[str, Shape]
    required: tuple[str, ...] = ()
    meaning: str = ""
    advice: Mapping[str, str] = field(default_factory=dict)

    def check(self, value: object, path: str, problems: Problems) -> None:
        """Note unknown and missing keys and what is wrong with the entries."""
        if not isinstance(value, Mapping):
            problems.note(path, f"must be a table, found {kind_of(value)}")
            return
        for key, entry in value.items():
            if problems.full:
                return
            shape = self.fields.get(key) if isinstance(key, str) else None
            if shape is not None:
                shape.check(entry, below(path, key), problems)
            elif isinstance(key, str):
                near = self.advice.get(key) or did_you_mean(key, self.fields)
                problems.note(below(path, key), f"unknown key{near or '; allowed are ' + ', '.join(self.fields)}")
            else:
                problems.note(path, f"keys must be text, found {kind_of(key)}")
        for key in self.required:
            if key not in value:
                problems.note(path, f'"{key}" is missing')

    def schema(self) -> Schema:
        """Return the JSON Schema of the shape."""
        fields = {"properties": {key: shape.schema() for key, shape in self.fields.items()}}
        required = {"required": list(self.required)} if self.required else {}
        described = {"description": self.meaning} if self.meaning else {}
        return {"type": "object", **fields, **required, "additionalProperties": False, **described}


@dataclass(frozen=True)
class MapOf:
    """A table whose keys the user chooses: `pattern` (described by `pattern_is`) says which are allowed."""

    entry: Shape
    pattern: str
    pattern_is: str
    meaning: str = ""

    def check(self, value: object, path: str, problems: Problems) -> None:
        """Note keys that are not allowed and what is wrong with the entries."""
        if not isinstance(value, Mapping):
            problems.note(path, f"must be a table, found {kind_of(value)}")
            return
        for key, entry in value.items():
            if problems.full:
                return
            if not isinstance(key, str):
                problems.note(path, f"keys must be text, found {kind_of(key)}")
            elif not re.fullmatch(self.pattern, key):
                problems.note(path, f"{show(key)} must be {self.pattern_is}")
            else:
                self.entry.check(entry, below(path, key), problems)

    def schema(self) -> Schema:
        """Return the JSON Schema of the shape."""
        keys = {"propertyNames": {"pattern": f"^(?:{self.pattern})$"}, "additionalProperties": self.entry.schema()}
        return {"type": "object", **keys, **({"description": self.meaning} if self.meaning else {})}


@dataclass(frozen=True)
class EitherOf:
    """One of several shapes, told apart by the kind of value."""

    table: Shape | None = None
    sequence: Shape | None = None
    other: Shape | None = None
    meaning: str = ""

    def check(self, value: object, path: str, problems: Problems) -> None:
        """Check the value against the shape for its kind."""
        fits: Shape | None
        if isinstance(value, Mapping) and self.table:
            fits = self.table
        elif isinstance(value, (list, tuple)) and self.sequence:
            fits = self.sequence
        else:
            fits = self.other if isinstance(value, (int, float, str)) and not isinstance(value, bool) else None
        if fits is None:
            problems.note(path, f"must be {self.meaning}, found {kind_of(value)}")
        else:
            fits.check(value, path, problems)

    def schema(self) -> Schema:
        """Return the JSON Schema of the shape."""
        shapes = [shape.schema() for shape in (self.other, self.sequence, self.table) if shape]
        return {"anyOf": shapes, "description": self.meaning}


@dataclass(frozen=True)
class ByKind:
    """A table whose key ``kind`` says which other keys it has; `otherwise` is what a table without it can be."""

    kinds: Mapping[str, TableShape]
    otherwise: TableShape | None = None

    def check(self, value: object, path: str, problems: Problems) -> None:
        """Check the value against the table of its kind."""
        kind = value.get("kind") if isinstance(value, Mapping) else None
        if not isinstance(value, Mapping):
            problems.note(path, f"must be a table, found {kind_of(value)}")
        elif "kind" not in value and self.otherwise and any(key in value for key in self.otherwise.fields):
            self.otherwise.check(value, path, problems)
        elif "kind" not in value:
            other = f"; or give {' and '.join(self.otherwise.required)} instead" if self.otherwise else ""
            problems.note(path, f'"kind" is missing; one of {list_names(self.kinds)}{other}')
        elif not isinstance(kind, str) or kind not in self.kinds:
            near = did_you_mean(kind, self.kinds) if isinstance(kind, str) else ""
            problems.note(below(path, "kind"), f"must be one of {list_names(self.kinds)}, found {show(kind)}{near}")
        else:
            self.kinds[kind].check(value, path, problems)

    def schema(self) -> Schema:
        """Return the JSON Schema of the shape."""
        every = [*self.kinds.values(), *([self.otherwise] if self.otherwise else [])]
        return {"oneOf": [table.schema() for table in every]}
