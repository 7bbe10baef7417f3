"""Relations between joint coordinates, ``"A.angle = -ratio*B.angle"``: both sides read by the expression reader.

A coordinate is ``joint.freedom``, which is no name in an expression (ids of joints may begin with a digit and hold
``-``): each is replaced by a name of the same length first, so that places in messages stay right. The relation must
be affine in the coordinates: its derivatives hold none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from symgen.model.couplings import Freedom, Relation
from symgen.model.expression_text import LONGEST
from symgen.model.expressions import RESERVED, Expression, ExpressionError, parse
from symgen.model.named_freedoms import check_freedom, find_joint
from symgen.model.nearest import show
from symgen.model.pairs import PAIR_TYPES
from symgen.model.parameters import Numbers, refuse
from symgen.model.parts import Joint

_COORDINATE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*\.[A-Za-z_][A-Za-z0-9_]*")
_POWER_OF_TEN = re.compile(r"[0-9]+\.[eE][0-9]*")
_FREEDOMS = frozenset(freedom for pair in PAIR_TYPES.values() for freedom in pair.freedoms)
_LONGEST = 2 * LONGEST
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class RelationReader:
    """Reads relations; `joints` are those that can be named, `choosable` as of `find_joint`."""

    def __init__(self, joints: Mapping[str, Joint], choosable: Mapping[str, str], numbers: Numbers) -> None:
        self.joints, self.choosable, self.numbers = joints, choosable, numbers

    def read(self, name: str, text: str, path: str) -> Relation:
        """Return the relation of a text.

        Raises
        ------
        MechanismError
            It is no equation, names what there is not, is not affine, or holds for any coordinates or for none.
        """
        if len(text) > _LONGEST:
            raise refuse(path, f"has {len(text)} characters; at most {_LONGEST} are allowed")
        if text.count("=") != 1:
            raise refuse(path, f"must be one equation, such as {self._example()}; found {show(text)}")
        left, right = text.split("=")
        coordinates: dict[str, Freedom] = {}
        sides = [self._side(side, path, coordinates) for side in (left, right)]
        if not coordinates:
            raise refuse(path, f"names no joint coordinate; write {self._example()}")
        zero = dict.fromkeys(coordinates, 0.0)
        terms: dict[Freedom, float] = {}
        for placeholder, freedom in coordinates.items():
            slopes = [self._slope(side, placeholder, coordinates, text, path) for side in sides]
            terms[freedom] = terms.get(freedom, 0.0) + slopes[0] - slopes[1]
        values = [self._value(side, zero, coordinates, path) for side in sides]
        terms = {freedom: value for freedom, value in terms.items() if value}
        if not terms:
            raise refuse(path, f"the coordinates cancel in {show(text)}, so it couples nothing")
        return Relation(name, terms, values[0] - values[1], text)

    def _example(self) -> str:
        found = [f"{joint.id}.{joint.freedoms[0]}" for joint in self.joints.values() if joint.freedoms]
        first, second = found[:2] if len(found) > 1 else ("A.angle", "B.angle")
        return f'"{first} = -2*{second}"'

    def _side(self, text: str, path: str, coordinates: dict[str, Freedom]) -> Expression:
        """Return one side, coordinates as names; adds those it finds to `coordinates`."""
        pieces, at = [], 0
        for start, end, freedom in self._coordinates(text, path):
            placeholder = self._placeholder(end - start, len(coordinates), coordinates)
            coordinates[placeholder] = freedom
            pieces += [text[at:start], placeholder]
            at = end
        replaced = "".join([*pieces, text[at:]])
        try:
            return parse(replaced, names={*self.numbers.parameters, *coordinates}).bind(self.numbers.parameters)
        except ExpressionError as error:
            raise refuse(path, self._reworded(error, text, coordinates)) from None

    def _coordinates(self, text: str, path: str) -> Iterator[tuple[int, int, Freedom]]:
        for match in _COORDINATE.finditer(text):
            found = match.group()
            name, _, freedom = found.partition(".")
            joint = self._joint_at_end(name)
            if joint is None:
                if _POWER_OF_TEN.fullmatch(found) and freedom not in _FREEDOMS:
                    continue  # the number 2.e3
                joint = find_joint(name, path, self.joints, self.choosable).id
            check_freedom(self.joints[joint], freedom, path)
            yield match.end() - len(freedom) - 1 - len(joint), match.end(), (joint, freedom)

    def _joint_at_end(self, name: str) -> str | None:
        """Return the longest joint that `name` ends with behind a minus, or that it is: ``k-A`` may be k minus A."""
        starts = [0, *(place + 1 for place, letter in enumerate(name) if letter == "-")]
        return next((name[start:] for start in starts if name[start:] in self.joints), None)

    def _placeholder(self, length: int, count: int, taken: Mapping[str, Freedom]) -> str:
        """Return a name of a length (3 or more) that means nothing yet."""
        while True:
            digits, rest = "", count
            for _ in range(length):
                digits = _LETTERS[rest % 26] + digits
                rest //= 26
            if digits not in taken and digits not in self.numbers.parameters and digits not in RESERVED:
                return digits
            count += 1

    def _reworded(self, error: ExpressionError, text: str, coordinates: Mapping[str, Freedom]) -> str:
        """Return the message with the text as it is written; a joint alone is told apart from a coordinate."""
        reason = _names_back(error.reason, coordinates)
        word = re.match(r'unknown name "([^"]*)"', reason)
        if word and word.group(1) in self.joints:
            joint = self.joints[word.group(1)]
            which = f"{joint.id}.{joint.freedoms[0]}" if joint.freedoms else "joint.freedom"
            reason = f'"{joint.id}" is a joint; a coordinate names its freedom too: {which}'
        return str(ExpressionError(reason, text, error.position))

    def _slope(
        self, side: Expression, placeholder: str, coordinates: Mapping[str, Freedom], text: str, path: str
    ) -> float:
        slope = side.derivative(placeholder)
        if slope.occurring & coordinates.keys():
            freedom = ".".join(coordinates[placeholder])
            message = "must be affine in the joint coordinates (numbers times coordinates, plus a number); the slope of"
            raise refuse(path, f"{message} {show(text)} over {freedom} varies")
        return self._value(slope, {}, coordinates, path)

    def _value(
        self, side: Expression, zero: Mapping[str, float], coordinates: Mapping[str, Freedom], path: str
    ) -> float:
        try:
            return float(side.evaluate(zero))
        except ExpressionError as error:
            raise refuse(path, _names_back(str(error), coordinates)) from None


def _names_back(message: str, coordinates: Mapping[str, Freedom]) -> str:
    for placeholder, freedom in coordinates.items():
        message = re.sub(rf"\b{placeholder}\b", ".".join(freedom), message)
    return message
