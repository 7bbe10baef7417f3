"""Elements of an XML text, read with expat: no DTD, no entities of its own, limits on size and depth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from symgen.errors import MechanismError

MOST_ELEMENTS = 200_000
DEEPEST = 50


@dataclass(slots=True)
class XmlElement:
    """An element: tag, attributes, children in order, and the line it begins on."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[XmlElement] = field(default_factory=list)

    def all(self, tag: str) -> list[XmlElement]:
        """Return the children of this tag."""
        return [child for child in self.children if child.tag == tag]


def parse_xml(text: str, file: str | None = None) -> XmlElement:
    """Return the root element of an XML text; text between elements is left out.

    Raises
    ------
    MechanismError
        if it is no well-formed XML, has a DTD (the way to external entities and entity bombs) or is too deep
        or too large; with the line.
    """
    return _XmlReader(file).read(text)


def stands_behind_blanks(text: str) -> bool:
    """Return whether the declaration ``<?xml ...?>`` is not the very beginning, as XML wants it: harmless."""
    return text[:1].isspace() and text.lstrip().startswith("<?xml")


class _XmlReader:
    def __init__(self, file: str | None) -> None:
        self.file = file
        self.stack: list[XmlElement] = []
        self.root: XmlElement | None = None
        self.count = 0
        self.skipped = 0  # lines before the declaration
        self.parser = expat.ParserCreate(encoding="utf-8")
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._doctype
        self.parser.ExternalEntityRefHandler = self._doctype

    def read(self, text: str) -> XmlElement:
        if stands_behind_blanks(text):
            self.skipped = text[: len(text) - len(text.lstrip())].count("\n")
            text = text.lstrip()
        try:
            self.parser.Parse(text.encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise self._refused(f"not XML: {reason}", error.lineno + self.skipped, error.offset + 1) from None
        if self.root is None:
            raise MechanismError("not XML: it has no element", file=self.file)
        return self.root

    def _refused(self, message: str, line: int, column: int | None = None) -> MechanismError:
        place = f"line {line}" + ("" if column is None else f", column {column}")
        return MechanismError(message, file=self.file, field=place)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self._line
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise self._refused(f"has more than {MOST_ELEMENTS} elements, too many for a robot", line)
        if len(self.stack) >= DEEPEST:
            raise self._refused(f"elements are nested more than {DEEPEST} levels deep", line)
        element = XmlElement(tag, attributes, line)
        if self.stack:
            self.stack[-1].children.append(element)
        else:
            self.root = element
        self.stack.append(element)

    def _end(self, _: str) -> None:
        self.stack.pop()

    def _doctype(self, *_: object) -> NoReturn:
        message = "has a document type declaration (<!DOCTYPE ...>), which is not read: remove it"
        raise self._refused(message, self._line)

    @property
    def _line(self) -> int:
        return self.parser.CurrentLineNumber + self.skipped
