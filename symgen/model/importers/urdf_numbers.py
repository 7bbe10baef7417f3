"""Numbers in the attributes of a URDF, read strictly; errors name file and line."""

from __future__ import annotations

import math
import re

from symgen.errors import MechanismError
from symgen.model.importers.xml_tree import XmlElement
from symgen.model.nearest import show
from symgen.model.quaternions import Vector3

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")


class NumberReader:
    """Reads numbers of the elements of one file."""

    def __init__(self, file: str | None) -> None:
        self.file = file

    def refuse(self, element: XmlElement | int, message: str) -> MechanismError:
        """Return the error of one element (or line)."""
        line = element if isinstance(element, int) else element.line
        return MechanismError(message, file=self.file, field=f"line {line}")

    def number(self, element: XmlElement, key: str, name: str, default: float | None = None) -> float:
        """Return the finite number of an attribute; `name` is what the element belongs to."""
        text = element.attributes.get(key)
        if text is None:
            if default is not None:
                return default
            raise self.refuse(element, f"{show(name)}: <{element.tag}> lacks {key}")
        return self._float(element, key, text.strip(), name)

    def vector(self, element: XmlElement, key: str, default: Vector3, name: str) -> Vector3:
        """Return three finite numbers of an attribute."""
        text = element.attributes.get(key)
        if text is None:
            return default
        words = text.split()
        if len(words) != 3:
            raise self.refuse(element, f"{show(name)}: <{element.tag}> {key} must have 3 numbers, found {show(text)}")
        x, y, z = (self._float(element, key, word, name) for word in words)
        return (x, y, z)

    def _float(self, element: XmlElement, key: str, text: str, name: str) -> float:
        value = float(text) if len(text) < 400 and _NUMBER.fullmatch(text) else math.inf
        if not math.isfinite(value):
            raise self.refuse(element, f"{show(name)}: <{element.tag}> {key}: {show(text)} is not a finite number")
        return value
