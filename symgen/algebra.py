"""The one door to SymPy, typed.

SymPy ships no type information, so everything behind this module would be `Any`. `Expr` states what the rest of
symgen may do with an expression: arithmetic, and nothing that searches (no `simplify`, `solve`; linear
equations only).
Printers take expressions apart and import SymPy themselves; nobody else does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, cast, runtime_checkable

import sympy


@runtime_checkable
class Expr(Protocol):
    """A scalar expression."""

    def __add__(self, other: Expr | int) -> Expr: ...
    def __radd__(self, other: int) -> Expr: ...
    def __sub__(self, other: Expr | int) -> Expr: ...
    def __rsub__(self, other: int) -> Expr: ...
    def __mul__(self, other: Expr | int) -> Expr: ...
    def __rmul__(self, other: int) -> Expr: ...
    def __truediv__(self, other: Expr | int) -> Expr: ...
    def __rtruediv__(self, other: int) -> Expr: ...
    def __neg__(self) -> Expr: ...
    def __pow__(self, other: int) -> Expr: ...


class branch_sign(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """branch_sign(branch, bit): +1 where the bit of `branch` is clear, -1 where it is set."""

    nargs = 2


class positive_part(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """positive_part(x) = x where x > 0, else 0: a radicand that rounding may have pushed below zero."""

    nargs = 1


class choose(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """choose(a, b, u, v) = u where a <= b, else v."""

    nargs = 4


class real_power(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """real_power(a, b) = a**b for real numbers; the exponent may be any."""

    nargs = 2


def symbol(name: str) -> Expr:
    """Return the real symbol of this name; equal names are equal symbols."""
    return cast(Expr, sympy.Symbol(name, real=True))


def number(value: int) -> Expr:
    """Return an exact integer."""
    return cast(Expr, sympy.Integer(value))


def ratio(numerator: int, denominator: int) -> Expr:
    """Return an exact fraction."""
    return cast(Expr, sympy.Rational(numerator, denominator))


def exactly(value: float) -> Expr:
    """Return the fraction that a finite double is; it prints as that double again."""
    return cast(Expr, sympy.Rational(*value.as_integer_ratio()))


ZERO, ONE, TWO, HALF = number(0), number(1), number(2), ratio(1, 2)

#: Named tolerances; each backend and precision gives them a value (`symgen.printers`).
FOLD_TOLERANCE = symbol("FOLD_TOLERANCE")  # below this relative margin two branches count as one
REACH_TOLERANCE = symbol("REACH_TOLERANCE")  # margins this little below zero are rounding, not "out of reach"
SINGULAR_TOLERANCE = symbol("SINGULAR_TOLERANCE")  # below this scaled determinant rates are not determined
UNIT_TOLERANCE = symbol("UNIT_TOLERANCE")  # how far a squared length may be from 1
SMALL_LENGTH = symbol("SMALL_LENGTH")  # lengths must be larger ...
LARGE_RATE = symbol("LARGE_RATE")  # ... and rates smaller, where overflow is excluded beforehand
TINY = symbol("TINY")  # squares of lengths below this are zero length
TOLERANCES: tuple[str, ...] = (
    "FOLD_TOLERANCE",
    "REACH_TOLERANCE",
    "SINGULAR_TOLERANCE",
    "UNIT_TOLERANCE",
    "TINY",
    "SMALL_LENGTH",
    "LARGE_RATE",
)


def sqrt(value: Expr) -> Expr:
    """Return the square root."""
    return cast(Expr, sympy.sqrt(value))


def sin(value: Expr) -> Expr:
    """Return the sine."""
    return cast(Expr, sympy.sin(value))


def cos(value: Expr) -> Expr:
    """Return the cosine."""
    return cast(Expr, sympy.cos(value))


def atan2(y: Expr, x: Expr) -> Expr:
    """Return the angle of (x, y) in (-pi, pi]."""
    return cast(Expr, sympy.atan2(y, x))


def absolute(value: Expr) -> Expr:
    """Return the absolute value."""
    return cast(Expr, sympy.Abs(value))


def sign_of_branch(branch: Expr, bit: int) -> Expr:
    """Return +1 where bit `bit` of the branch index is clear, -1 where it is set."""
    return cast(Expr, branch_sign(branch, bit))


def not_below_zero(value: Expr) -> Expr:
    """Return max(value, 0)."""
    return cast(Expr, positive_part(value))


def chosen(a: Expr, b: Expr, u: Expr, v: Expr) -> Expr:
    """Return u where a <= b, else v."""
    return cast(Expr, choose(a, b, u, v))


def power(base: Expr, exponent: Expr) -> Expr:
    """Return base**exponent of real numbers."""
    return cast(Expr, real_power(base, exponent))


def elementary(name: str, value: Expr) -> Expr:
    """Return sqrt, sin, cos, tan, asin, acos, atan, exp, log or abs of a value that is a symbol or a number."""
    return cast(Expr, _ELEMENTARY[name](value, evaluate=False))


_ELEMENTARY = {
    "sqrt": sympy.sqrt, "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "asin": sympy.asin, "acos": sympy.acos,
    "atan": sympy.atan, "exp": sympy.exp, "log": sympy.log, "abs": sympy.Abs,
}  # fmt: skip


def derivative(value: Expr, name: str) -> Expr:
    """Return the derivative of an expression for a symbol."""
    return cast(Expr, sympy.diff(cast(sympy.Expr, value), sympy.Symbol(name, real=True)))


def solve_linear(residuals: Sequence[Expr], unknowns: Sequence[str]) -> list[Expr]:
    """Solve linear equations, each residual = 0, for named symbols; values come expanded.

    Raises
    ------
    ValueError
        If the equations do not determine every unknown.
    """
    symbols = [sympy.Symbol(name, real=True) for name in unknowns]
    found = list(sympy.linsolve([cast(sympy.Expr, residual) for residual in residuals], symbols))
    if len(found) != 1 or any(value.has(*symbols) for value in found[0]):
        raise ValueError(f"these equations do not determine {', '.join(unknowns)}")
    return [cast(Expr, sympy.expand(value)) for value in found[0]]


def determinant(rows: Sequence[Sequence[Expr]]) -> Expr:
    """Return a determinant by expansion along the row with the fewest entries, for matrices with many zeros."""
    if not rows:
        return ONE
    k = min(range(len(rows)), key=lambda i: sum(not is_zero(value) for value in rows[i]))
    total = ZERO
    for j, value in enumerate(rows[k]):
        if not is_zero(value):
            minor = [[v for m, v in enumerate(row) if m != j] for i, row in enumerate(rows) if i != k]
            total = total + value * determinant(minor) * (-1) ** (j + k)
    return total


def is_zero(value: Expr) -> bool:
    """Tell whether the expression is the number zero."""
    return bool(cast(object, value) == 0)


def is_number(value: Expr) -> bool:
    """Tell whether the expression is an exact number."""
    return isinstance(value, sympy.Rational)


def is_symbol(value: Expr) -> bool:
    """Tell whether the expression is a plain symbol."""
    return isinstance(value, sympy.Symbol)


def name_of(value: Expr) -> str:
    """Return the name of a symbol."""
    if not isinstance(value, sympy.Symbol):
        raise TypeError(f"{value} is not a symbol")
    return str(value.name)


def symbol_names(value: Expr) -> tuple[str, ...]:
    """Return the names of the symbols in an expression, sorted (SymPy keeps them in a set)."""
    return tuple(sorted(str(s.name) for s in cast(sympy.Expr, value).free_symbols))


def replace(value: Expr, by: Mapping[str, Expr]) -> Expr:
    """Replace symbols by name, literally and all at once."""
    table = {sympy.Symbol(name, real=True): expr for name, expr in by.items()}
    return cast(Expr, cast(sympy.Expr, value).xreplace(table))


def foreign_symbols(value: Expr) -> tuple[str, ...]:
    """Return the names of symbols that `symbol` did not make: dummies, or others with the same name."""
    found = cast(sympy.Expr, value).free_symbols
    return tuple(sorted(str(s) for s in found if s != sympy.Symbol(str(s), real=True)))


def take_apart(value: Expr) -> tuple[str, tuple[Any, ...]]:
    """Return the kind of an expression's outermost operation and its parts, for walks that are not printers.

    Kinds: symbol (its name), number (numerator, denominator), add, mul, power (base, integer exponent), sqrt, sin,
    cos, atan2, abs, branch_sign (branch, bit), positive_part.
    """
    node = cast(Any, value)
    if isinstance(node, sympy.Symbol):
        return "symbol", (str(node.name),)
    if isinstance(node, sympy.Rational):
        return "number", (int(node.p), int(node.q))
    if isinstance(node, sympy.Pow):
        if node.exp == sympy.Rational(1, 2):
            return "sqrt", (node.base,)
        if not node.exp.is_Integer:
            raise ValueError(f"power with exponent {node.exp}")
        return "power", (node.base, int(node.exp))
    if isinstance(node, branch_sign):
        return "branch_sign", (node.args[0], int(node.args[1]))
    kinds = {sympy.Add: "add", sympy.Mul: "mul", sympy.Abs: "abs", positive_part: "positive_part"}
    kinds |= {sympy.sin: "sin", sympy.cos: "cos", sympy.atan2: "atan2"}
    if node.func not in kinds:
        raise ValueError(f"unexpected operation {node.func.__name__}")
    return kinds[node.func], tuple(node.args)


def powers_of_sums(value: Expr) -> tuple[Expr, ...]:
    """Return the bases, other than symbols, that are raised to 2 or more in an expression, in a fixed order."""
    powers = sorted(cast(sympy.Expr, value).atoms(sympy.Pow), key=sympy.default_sort_key)
    bases = [p.base for p in powers if p.exp.is_Integer and p.exp > 1 and not p.base.is_Symbol]
    return tuple(dict.fromkeys(cast(Expr, b) for b in bases))


def replace_parts(value: Expr, by: Mapping[Expr, Expr]) -> Expr:
    """Replace whole subexpressions, literally and all at once."""
    return cast(Expr, cast(sympy.Expr, value).xreplace(by))


def vanishes(value: Expr, where: Mapping[str, Expr]) -> bool:
    """Prove that a polynomial identity holds, given squares of symbols.

    Parameters
    ----------
    value : the difference of both sides, rational in its symbols.
    where : name of a symbol -> what its square equals (for example a sign: 1).

    Returns
    -------
    bool
        True if the numerator reduces to the zero polynomial modulo the given squares.
    """
    polynomial = _as_polynomial(value, where)
    if polynomial is not None:
        return not polynomial
    numerator = _numerator(value)
    for name, square in where.items():  # a later square may serve an earlier one's replacement
        root = sympy.Symbol(name, real=True)
        terms = sympy.Poly(numerator, root).terms()
        numerator = _numerator(sum((c * square ** (n // 2) * root ** (n % 2) for (n,), c in terms), sympy.Integer(0)))
    return bool(numerator == 0)


def _numerator(value: Any) -> Any:
    return sympy.expand(sympy.fraction(sympy.together(value))[0])


def _as_polynomial(value: Expr, where: Mapping[str, Expr]) -> Any:
    """Return the numerator, reduced modulo the squares, as a sparse polynomial; None if a part is not rational.

    Sums and products are carried out one by one in a polynomial ring: far quicker than expanding the whole.
    """
    parts = [cast(sympy.Expr, part) for part in (value, *where.values())]
    names = sorted({str(s.name) for part in parts for s in part.free_symbols} | set(where))
    if not names:
        return None
    ring = sympy.polys.rings.ring(names, sympy.QQ)[0]
    seen: dict[Any, Any] = {}
    found, *squares = (_fraction(part, ring, seen) for part in parts)
    if found is None or None in squares:
        return None
    numerator = found[0]
    for name, (above, below) in zip(where, squares, strict=True):
        numerator = _reduced(numerator, names.index(name), above, below)
    return numerator


def _reduced(polynomial: Any, place: int, above: Any, below: Any) -> Any:
    """Replace the square of a generator by above/below; the result is the numerator."""
    most = max((powers[place] for powers in polynomial.keys()), default=0) // 2  # noqa: SIM118 - a polynomial, no dict
    if most == 0:
        return polynomial
    by_power = [polynomial.ring.zero for _ in range(most + 1)]
    for powers, coefficient in polynomial.terms():
        left = (*powers[:place], powers[place] % 2, *powers[place + 1 :])
        by_power[powers[place] // 2][left] = coefficient
    return sum((part * above**k * below ** (most - k) for k, part in enumerate(by_power)), polynomial.ring.zero)


def _fraction(node: Any, ring: Any, seen: dict[Any, Any]) -> Any:
    """Return numerator and denominator of a rational expression in a ring; None if it is not rational."""
    if node not in seen:
        seen[node] = _new_fraction(node, ring, seen)
    return seen[node]


def _new_fraction(node: Any, ring: Any, seen: dict[Any, Any]) -> Any:
    if isinstance(node, sympy.Symbol):
        return ring.gens[[str(s) for s in ring.symbols].index(str(node.name))], ring.one
    if isinstance(node, sympy.Rational):
        return ring.one * sympy.QQ(int(node.p), int(node.q)), ring.one
    if isinstance(node, sympy.Pow) and node.exp.is_Integer:
        base = _fraction(node.base, ring, seen)
        if base is None or (not base[0] and node.exp < 0):
            return None
        above, below = base if node.exp > 0 else (base[1], base[0])
        return above ** abs(int(node.exp)), below ** abs(int(node.exp))
    if not isinstance(node, (sympy.Add, sympy.Mul)):
        return None
    total = (ring.zero, ring.one) if isinstance(node, sympy.Add) else (ring.one, ring.one)
    for part in node.args:
        fraction = _fraction(part, ring, seen)
        if fraction is None:
            return None
        total = _product(total, fraction) if isinstance(node, sympy.Mul) else _sum(total, fraction)
    return total


def _product(one: tuple[Any, Any], two: tuple[Any, Any]) -> tuple[Any, Any]:
    return one[0] * two[0], one[1] * two[1]


def _sum(one: tuple[Any, Any], two: tuple[Any, Any]) -> tuple[Any, Any]:
    (a, b), (c, e) = one, two
    return (a + c, b) if b == e else (a * e + c * b, b * e)


#: Bits that a folded number keeps: twice a double's, so that what is printed is rounded once.
_KEPT_BITS = 120
_KEPT_DIGITS = 40


def reciprocal(value: Expr) -> Expr:
    """Return one over a number, with twice a double's bits."""
    return cast(Expr, _short(1 / cast(Any, value)))


def float_of(value: Expr) -> float:
    """Return the double nearest to a number."""
    return float(cast(sympy.Rational, value))


def fold(value: Expr, known: Mapping[str, Expr]) -> Expr:
    """Replace symbols by name and compute what is a number then; nothing is expanded or rearranged.

    Sine and cosine of a number are rounded to a multiple of 2^-60: an angle that is a double, such as pi/2, has that
    much rounding itself, and what is zero of a right angle is zero then.
    """
    return cast(Expr, _fold(cast(Any, value), known))


def _fold(node: Any, known: Mapping[str, Expr]) -> Any:
    if isinstance(node, sympy.Symbol):
        return known.get(str(node.name), node)
    if not node.args:
        return node
    parts = [_fold(part, known) for part in node.args]
    if all(isinstance(part, sympy.Rational) for part in parts):
        return _number(node, parts)
    if isinstance(node, branch_sign):
        return node.func(*parts)
    return node if list(node.args) == parts else node.func(*parts)


def _number(node: Any, parts: list[Any]) -> Any:
    """Return the operation of a node on numbers as a number."""
    if isinstance(node, positive_part):
        return max(parts[0], sympy.Integer(0))
    if isinstance(node, choose):
        return parts[2] if parts[0] <= parts[1] else parts[3]
    if isinstance(node, branch_sign):
        return sympy.Integer(-1 if (int(parts[0]) >> int(parts[1])) & 1 else 1)
    if isinstance(node, real_power) or (isinstance(node, sympy.Pow) and not parts[1].is_Integer):
        return _rounded(sympy.Float(parts[0], _KEPT_DIGITS) ** sympy.Float(parts[1], _KEPT_DIGITS), _KEPT_BITS)
    if isinstance(node, (sympy.Add, sympy.Mul, sympy.Pow, sympy.Abs)):
        return _short(node.func(*parts))
    found = node.func(*(sympy.Float(part, _KEPT_DIGITS) for part in parts))
    return _rounded(found, 60 if isinstance(node, (sympy.sin, sympy.cos)) else _KEPT_BITS)


def _rounded(found: Any, bits: int) -> Any:
    if not found.is_real or not found.is_finite:
        raise ArithmeticError(f"{found} is not a real number")
    scale = sympy.Integer(2) ** bits
    return _short(sympy.Rational(sympy.floor(found * scale + sympy.Rational(1, 2)), scale))


def _short(found: Any) -> Any:
    """Return a fraction as it is if it is short or a decimal of few digits, else with `_KEPT_BITS` bits."""
    if not isinstance(found, sympy.Rational):
        raise ArithmeticError(f"{found} is not a real number")
    p, q = int(found.p), int(found.q)
    if q & (q - 1) == 0 and abs(p).bit_length() <= _KEPT_BITS:
        return found
    shift = _KEPT_BITS - abs(p).bit_length() + q.bit_length()
    scaled = (2 * p * 2**shift + q) // (2 * q) if shift >= 0 else (2 * p + q * 2**-shift) // (2 * q * 2**-shift)
    return sympy.Rational(scaled, 2**shift) if shift >= 0 else sympy.Integer(scaled * 2**-shift)


def name_radicands(value: Expr, name: str) -> tuple[Expr, tuple[tuple[str, Expr], ...]]:
    """Put names in place of all radicands that are not symbols; return the expression and the names with values.

    SymPy would draw the root of a number that it finds as a factor of a radicand.
    """
    made: dict[Any, str] = {}

    def walk(node: Any) -> Any:
        if not node.args:
            return node
        if isinstance(node, sympy.Pow) and node.exp == sympy.Rational(1, 2) and not node.base.is_Symbol:
            inner = walk(node.base)
            if inner not in made:
                made[inner] = f"{name}_radicand{len(made) or ''}"
            return sympy.sqrt(symbol(made[inner]))
        parts = [walk(part) for part in node.args]
        return node if list(node.args) == parts else node.func(*parts)

    found = walk(cast(Any, value))
    return cast(Expr, found), tuple((each, cast(Expr, inner)) for inner, each in made.items())


def angle_parts(value: Expr) -> tuple[Expr, Expr] | None:
    """Return (y, x) of an expression atan2(y, x), else None."""
    node = cast(Any, value)
    return (node.args[0], node.args[1]) if isinstance(node, sympy.atan2) else None


def turned_length2(y: Expr, x: Expr) -> Expr | None:
    """Return a^2 + b^2 of x = a u + b v, y = a v - b u with numbers a, b and symbols u, v; None of anything else."""
    first, second = (_linear(cast(Any, value)) for value in (x, y))
    if first is None or second is None or len({*first, *second}) != 2:
        return None
    u, v = sorted({*first, *second})
    for p, q in ((u, v), (v, u)):
        a, b = first.get(p, 0), first.get(q, 0)
        if second.get(q, 0) == a and second.get(p, 0) == -b:
            return cast(Expr, a * a + b * b)
    return None


def _linear(node: Any) -> dict[str, Any] | None:
    """Return symbol -> number of a sum of symbols times numbers."""
    found: dict[str, Any] = {}
    for term in node.args if isinstance(node, sympy.Add) else (node,):
        factor, rest = term.as_coeff_Mul()
        if not isinstance(rest, sympy.Symbol):
            return None
        found[str(rest.name)] = factor
    return found


def difference(value: Expr) -> tuple[str, Expr] | None:
    """Return (x, y) of an expression x - y of two symbols, else None."""
    node = cast(Any, value)
    if isinstance(node, sympy.Add) and len(node.args) == 2:
        first, second = sorted(node.args, key=lambda part: not isinstance(part, sympy.Symbol))
        if isinstance(first, sympy.Symbol) and isinstance(-second, sympy.Symbol):
            return str(first.name), cast(Expr, -second)
    return None


def other_summand(total: Expr, part: Expr) -> Expr | None:
    """Return y of a sum part + y of two symbols, else None."""
    node = cast(Any, total)
    if isinstance(node, sympy.Add) and len(node.args) == 2 and part in node.args:
        (other,) = (each for each in node.args if each != part)
        return cast(Expr, other) if isinstance(other, sympy.Symbol) else None
    return None


def operation(value: Expr) -> tuple[str, tuple[Expr, ...]]:
    """Return what an expression does, such as "add", "mul", "pow", "cos" or the name of our own functions, to what."""
    node = cast(Any, value)
    return type(node).__name__.lower(), tuple(node.args)


def without_positive_parts(value: Expr, is_positive: Callable[[Expr], bool]) -> Expr:
    """Put x in the place of max(x, 0) wherever x is positive."""
    node = cast(Any, value)
    if not node.args:
        return value
    parts = [without_positive_parts(part, is_positive) for part in node.args]
    if isinstance(node, positive_part) and is_positive(parts[0]):
        return parts[0]
    return value if list(node.args) == parts else cast(Expr, node.func(*parts))


def summands(value: Expr) -> tuple[str, str] | None:
    """Return the names of x and y of an expression x + y of two symbols, else None."""
    node = cast(Any, value)
    if isinstance(node, sympy.Add) and len(node.args) == 2 and all(isinstance(a, sympy.Symbol) for a in node.args):
        first, second = sorted(str(a.name) for a in node.args)
        return first, second
    return None


def turn_of(value: Expr) -> tuple[str, str] | None:
    """Return ("cos" or "sin", name) of the cosine or sine of a symbol, else None."""
    node = cast(Any, value)
    if isinstance(node, (sympy.sin, sympy.cos)) and isinstance(node.args[0], sympy.Symbol):
        return ("sin" if isinstance(node, sympy.sin) else "cos"), str(node.args[0].name)
    return None


def shows(value: Expr) -> tuple[str, ...]:
    """Return the names of symbols whose NaN or infinity makes the expression NaN or infinite: those in its sums,
    products, sines and cosines, sorted.
    """
    found: set[str] = set()
    stack: list[Any] = [cast(Any, value)]
    while stack:
        node = stack.pop()
        if isinstance(node, sympy.Symbol):
            found.add(str(node.name))
        elif isinstance(node, (sympy.Add, sympy.Mul, sympy.sin, sympy.cos)):
            stack += node.args
        elif isinstance(node, sympy.Pow) and (node.exp.is_positive):
            stack.append(node.base)
    return tuple(sorted(found))
