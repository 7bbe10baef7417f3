"""Text to expression tree: an `ast` whitelist, nothing is ever executed.

The text is data of a stranger. It is cut into tokens first (so that no string,
bracket, attribute or foreign character reaches Python's parser, and length and
depth are bounded), then parsed by `ast.parse`, then only the node classes named
here are accepted.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection

from symgen.errors import InputError
from symgen.model.evaluation import OutsideDomainError, evaluate_scalar
from symgen.model.expression_tree import Apply, Name, Node, Number, distinct_nodes
from symgen.model.nearest import did_you_mean, list_names, show

FUNCTIONS: dict[str, tuple[int, int | None]] = {
    **dict.fromkeys(("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "abs"), (1, 1)),
    "atan2": (2, 2),
    "min": (2, None),
    "max": (2, None),
}
"""Function -> least and most number of arguments."""

RESERVED = frozenset({*FUNCTIONS, "pi", "t"})
"""Names a parameter cannot have: they mean something in every expression."""

LONGEST = 2000  # characters
DEEPEST_BRACKETS = 100
DEEPEST = 200  # nested operations: a sum of 200 terms is that deep
LARGEST_EXPONENT = 100.0

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![0-9A-Za-z_.])"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<operator>\*\*|[-+*/(),])"
)
_HINTS = {
    "^": "; a power is written with **",
    ".": "; a number is written like 0.5, and attributes are not allowed",
    "=": "; give the right-hand side only",
    "[": "; only round brackets are allowed",
    "{": "; only round brackets are allowed",
    "×": "; a product is written with *",
    "·": "; a product is written with *",
    "−": "; write the ASCII minus -",
    "°": "; angles are in radians: write 30*pi/180",
    "π": "; write pi",
}  # fmt: skip
#: What people write behind a number or multiply it by, as if numbers were converted.
_UNITS = frozenset(
    {"m", "mm", "cm", "km", "inch", "in", "ft", "deg", "degree", "degrees", "rad", "s", "sec", "ms", "min", "kg", "g",
     "lb", "N", "kN", "Nm", "rpm", "rev", "Hz"}
)  # fmt: skip
_NO_UNITS = "; do not write units: everything is in SI (m, rad, s), an angle of 30 degrees is 30*pi/180"
_NUMBER_WITH_UNIT = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?P<unit>[A-Za-z]+)(?![0-9A-Za-z_.])")
_BINARY: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_ALLOWED = "numbers, pi, names of [parameters], + - * / **, round brackets and " + " ".join(FUNCTIONS)


class ExpressionError(InputError):
    """An expression is not one of symgen's: says what was found, where in the text, and what is allowed.

    Parameters
    ----------
    message : what was found and what is allowed.
    text : the expression.
    position : index of the offending character in `text`, or None if the whole is meant.
    """

    def __init__(self, message: str, text: str, position: int | None = None) -> None:
        self.reason, self.text, self.position = message, text, position
        place = "" if position is None else f", character {position + 1}"
        super().__init__(f"expression {show(text)}{place}: {message}")


def parse_tree(text: str, names: Collection[str]) -> Node:
    """Return the tree of an expression that may use the given names.

    Raises
    ------
    ExpressionError
        for anything but the language of the mechanism file.
    """
    if not text.strip():
        raise ExpressionError("it is empty; write a number or a formula", text)
    if len(text) > LONGEST:
        raise ExpressionError(f"it has {len(text)} characters; at most {LONGEST} are allowed", text)
    _check_tokens(text, names)
    flat = re.sub(r"[\t\r\n]", " ", text)
    try:
        # In brackets, so that leading blanks are no indentation; _check_tokens has seen to it that they match.
        parsed = ast.parse(f"({flat})", mode="eval")
    except SyntaxError as error:
        at = min(max((error.offset or 2) - 2, 0), len(text) - 1)
        reason = (error.msg or "").split(". ")[0] or "this cannot be read"
        raise ExpressionError(f"{reason}; allowed are {_ALLOWED}", text, at) from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"it is nested too deeply; at most {DEEPEST} levels are allowed", text) from None
    return _ExpressionReader(text, names).read(parsed.body, 0)


def _check_tokens(text: str, names: Collection[str]) -> None:
    at, depth, before = 0, 0, ""
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            found = text[at]
            hint = _HINTS.get(found, "")
            if found.isdigit() and found.isascii():
                with_unit = _NUMBER_WITH_UNIT.match(text, at)
                hint = "; a number is written like 2, 0.5 or 1e-3, a product needs *"
                hint = _NO_UNITS if with_unit is not None and with_unit["unit"] in _UNITS else hint
            raise ExpressionError(f"{show(found)} cannot be read here{hint}; allowed are {_ALLOWED}", text, at)
        if token.lastgroup in ("name", "number") and before:
            raise ExpressionError(_missing_operator(text, before, token, names), text, at)
        if token.lastgroup != "space":
            before = token.group() if token.lastgroup in ("name", "number") or token.group() == ")" else ""
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth < 0:
            raise ExpressionError('")" closes nothing', text, at)
        if depth > DEEPEST_BRACKETS:
            raise ExpressionError(
                f"brackets are nested too deeply; at most {DEEPEST_BRACKETS} levels are allowed", text, at
            )
        at = token.end()
    if depth:
        raise ExpressionError(f'{depth} "(" not closed', text, len(text) - 1)


def _missing_operator(text: str, before: str, found: re.Match[str], names: Collection[str]) -> str:
    """Say what is wrong with two operands beside each other; a last word is most likely meant as a unit."""
    if before in FUNCTIONS:
        return f"{before} is a function: write {before}(...)"
    message = f"an operator is missing before {show(found.group()[:60])}; a product needs *"
    known = found.group() in RESERVED or found.group() in names
    if found.lastgroup == "name" and not known and not text[found.end() :].strip(" \t\r\n"):
        message += _NO_UNITS
    return message


class _ExpressionReader:
    """Turns the allowed nodes of Python's tree into ours and refuses all others."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        self.text, self.names = text, names

    def read(self, node: ast.expr, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.error(f"operations are nested too deeply; at most {DEEPEST} levels are allowed", node)
        if isinstance(node, ast.Constant):
            return self.constant(node)
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
            operand = self.read(node.operand, depth + 1)
            return operand if isinstance(node.op, ast.UAdd) else Apply("negative", (operand,))
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            return self.binary(node, _BINARY[type(node.op)], depth)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self.call(node, node.func.id, depth)
        if isinstance(node, ast.Tuple):
            raise self.error("a comma may only separate the arguments of a function; decimals have a point", node)
        if isinstance(node, ast.Call):
            raise self.error("only a named function can be called; a product needs *", node)
        raise self.error(f"this is not allowed; allowed are {_ALLOWED}", node)

    def error(self, message: str, node: ast.expr) -> ExpressionError:
        return ExpressionError(message, self.text, min(max(node.col_offset - 1, 0), len(self.text) - 1))

    def constant(self, node: ast.Constant) -> Node:
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            raise self.error(f"{node.value!r} is not a number", node)
        try:
            value = float(node.value)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise self.error("this number is too large for a double", node)
        return Number(value, show(node.value) if len(str(node.value)) <= 40 else repr(value))

    def name(self, node: ast.Name) -> Node:
        if node.id == "pi":
            return Number(math.pi, "pi")
        if node.id in self.names:
            return Name(node.id)
        if node.id in FUNCTIONS:
            raise self.error(f"{node.id} is a function: write {node.id}(...)", node)
        if node.id == "t":
            raise self.error("the time t may only be used in the laws of [drives] and [forces]", node)
        known = sorted({*self.names, "pi"})
        near = did_you_mean(node.id, [*known, *FUNCTIONS])
        if not near and node.id.lower() == "time" and "t" in known:
            near = '; did you mean "t"?'
        if node.id in _UNITS and not any(node.id.lower() == each.lower() for each in known):
            near = _NO_UNITS
        raise self.error(f'unknown name "{node.id[:60]}"{near} (known: {list_names(known)})', node)

    def binary(self, node: ast.BinOp, operation: str, depth: int) -> Node:
        arguments = (self.read(node.left, depth + 1), self.read(node.right, depth + 1))
        if operation == "**" and not any(isinstance(each, Name) for each in distinct_nodes(arguments[1])):
            try:
                exponent = evaluate_scalar(arguments[1], {})
            except OutsideDomainError as error:
                raise self.error(f"exponent: {error}", node.right) from None
            if abs(exponent) > LARGEST_EXPONENT:
                found = f"the exponent is {exponent:g}; at most {LARGEST_EXPONENT:g} is allowed"
                raise self.error(found, node.right)
        return Apply(operation, arguments)

    def call(self, node: ast.Call, function: str, depth: int) -> Node:
        if function not in FUNCTIONS:
            if function in self.names or function == "pi":
                raise self.error(f"{function} is a number, not a function; a product needs *", node)
            near = did_you_mean(function, FUNCTIONS)
            known = " ".join(FUNCTIONS)
            raise self.error(f'unknown function "{function[:60]}"{near} (known: {known})', node)
        least, most = FUNCTIONS[function]
        count = len(node.args)
        if count < least or (most is not None and count > most):
            wants = f"{least}" if least == most else f"{least} or more"
            raise self.error(f"{function} takes {wants} argument{'s' if wants != '1' else ''}, not {count}", node)
        arguments = tuple(self.read(argument, depth + 1) for argument in node.args)
        if most is None:  # min and max of several, as nested pairs
            folded = arguments[0]
            for argument in arguments[1:]:
                folded = Apply(function, (folded, argument))
            return folded
        return Apply(function, arguments)
