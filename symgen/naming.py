"""Names and free text on their way into generated files.

One name is used everywhere (file, folder, C, C++, Python, manifest), so it must
be valid everywhere: `check_identifier`. Text that a person wrote reaches
generated comments and docstrings through one door: `free_text`. Of a name that nobody knows a message says which one is
nearest: `did_you_mean`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from symgen.errors import InputError

#: C99 promises that 63 characters of an internal name count; the prefix of external ones is added on top.
MAX_LENGTH = 63

_PATTERN = re.compile(r"[a-z](?:_?[a-z0-9])*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_C_KEYWORDS = _words(
    """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    alignas alignof bool constexpr nullptr static_assert thread_local typeof typeof_unqual asm fortran
    """
)

_CPP_KEYWORDS = _words(
    """
    and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept
    const_cast consteval constinit decltype delete dynamic_cast explicit export final false friend import module
    mutable namespace new noexcept not not_eq operator or or_eq override private protected public reflexpr
    reinterpret_cast requires static_cast synchronized template this throw true try typeid typename using virtual
    wchar_t xor xor_eq
    """
)

_PYTHON_NAMES = _words(
    """
    False None True and as assert async await break class continue def del elif else except finally for from
    global if import in is lambda nonlocal not or pass raise return try while with yield case match type
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex
    copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr
    globals hasattr hash help hex id input int isinstance issubclass iter len license list locals map max
    memoryview min next object oct open ord pow print property quit range repr reversed round set setattr slice
    sorted staticmethod str sum super tuple vars zip self cls np numpy math
    """
)

# Functions of <math.h>: C99, POSIX, GNU and C23; each exists with suffixes (f, l, f32, f64x, ...).
_LIBM_FUNCTIONS = _words(
    """
    abs acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi canonicalize cbrt ceil compoundn
    copysign cos cosh cospi dadd ddiv dfma dmul drem dsqrt dsub erf erfc exp exp10 exp10m1 exp2 exp2m1 expm1 fabs
    fadd fdim fdiv ffma finite floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmin
    fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod fmul fpclassify frexp fromfp fromfpx fsqrt
    fsub gamma getpayload hypot ilogb isfinite isgreater isgreaterequal isinf isless islessequal islessgreater
    isnan isnormal isunordered j0 j1 jn labs ldexp lgamma llabs llogb llrint llround log log10 log10p1 log1p log2
    log2p1 logb logp1 lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow pown powr remainder
    remquo rint rootn round roundeven rsqrt scalb scalbln scalbn setpayload setpayloadsig signbit signgam
    significand sin sincos sinh sinpi sqrt tan tanh tanpi tgamma totalorder totalordermag trunc ufromfp ufromfpx
    y0 y1 yn
    """
)
_LIBM_SUFFIX = re.compile(r"(?:l|f|f16|f32x?|f64x?|f128x?)(?:_r)?$|_r$")
_LIBM_NARROWING = re.compile(r"f(?:32|64)x?(?:add|sub|mul|div|fma|sqrt)f(?:32|64|128)x?")

# Macros and types of the headers a generated file includes or is likely to stand beside.
_MACROS_AND_TYPES = _words(
    """
    I E PI NAN INFINITY HUGE_VAL EOF NULL DOMAIN OVERFLOW UNDERFLOW SING PLOSS TLOSS complex imaginary linux unix
    i386 vax near far small interface errno assert offsetof float_t double_t size_t ptrdiff_t ssize_t time_t
    """
)
_STDINT_TYPE = re.compile(r"u?int(?:_fast|_least)?(?:8|16|32|64|max|ptr)?_t")

_FILE_NAMES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")


def _reserved_by(name: str) -> str | None:
    """Return who owns `name`, or None if it is free."""
    if name in _C_KEYWORDS or name in _CPP_KEYWORDS:
        return "a keyword of C or C++"
    if name in _PYTHON_NAMES:
        return "a keyword or builtin of Python"
    if name in _LIBM_FUNCTIONS or _LIBM_SUFFIX.sub("", name) in _LIBM_FUNCTIONS or _LIBM_NARROWING.fullmatch(name):
        return "a function of <math.h>"
    if name in _MACROS_AND_TYPES or _STDINT_TYPE.fullmatch(name):
        return "a macro or type of the C headers"
    if _FILE_NAMES.fullmatch(name):
        return "a device name of Windows' file systems"
    if name.startswith("symgen"):
        return "symgen's own prefix"
    return None


def check_identifier(name: str) -> str:
    """Return `name` if it can stand in C, C++, Python and as a file name.

    Allowed is lower-case snake_case: a letter, then letters, digits and single
    underscores, at most 63 characters, and no name that C, C++, Python,
    ``<math.h>`` or a file system has taken. Lower case only, because some file
    systems do not tell case apart.

    Raises
    ------
    InputError : with the reason and, where there is one, a name that would do.
    """
    owner = _reserved_by(name)
    if owner is not None:
        raise InputError(f"the name {name!r} is {owner}; take another, such as {name.lower() + '_value'!r}")
    if len(name) > MAX_LENGTH:
        raise InputError(f"the name {name!r} has {len(name)} characters; at most {MAX_LENGTH} are allowed")
    if not _PATTERN.fullmatch(name):
        likely = _snake_case(name)
        hint = f"; write {likely!r}" if _PATTERN.fullmatch(likely) and _reserved_by(likely) is None else ""
        raise InputError(
            f"the name {name!r} is not snake_case (a lower-case letter, then a-z, 0-9 and single underscores){hint}"
        )
    return name


def identifier_from(text: str, fallback: str) -> str:
    """Return `text` made snake_case; behind `fallback` where it cannot stand alone, as after a digit.

    >>> identifier_from("Theo Jansen's leg", "mechanism")
    'theo_jansen_s_leg'
    >>> identifier_from("3-RPS", "mechanism")
    'mechanism_3_rps'
    """
    likely = _snake_case(text)
    for name in (likely, f"{fallback}_{likely}"[:MAX_LENGTH].rstrip("_")):
        if _PATTERN.fullmatch(name) and _reserved_by(name) is None:
            return name
    return fallback


def module_name(given: str | None, title: str, kind: str, fallback: str = "mechanism") -> str:
    """Return the name of a module of a mechanism: the one that is given, else the mechanism's with its kind.

    Parameters
    ----------
    given : what the user asks for, or None.
    title : what people call the mechanism.
    kind : ``"dynamics"``, ``"loops"``, ...

    Raises
    ------
    InputError
        The name that is given cannot stand in code, or is taken.
    """
    if given is None:
        stem = identifier_from(title, fallback)[: MAX_LENGTH - len(kind) - 1].rstrip("_")
        return check_identifier(f"{stem}_{kind}")
    if given == "status":
        raise InputError("the name 'status' is that of the header all modules share; take another, such as 'my_status'")
    return check_identifier(given)


def _snake_case(name: str) -> str:
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"[^a-z0-9]+", "_", _to_ascii(parts).lower()).strip("_")[:MAX_LENGTH]


_TRANSLITERATION = str.maketrans(
    {
        "\N{DEGREE SIGN}": " deg",
        "\N{MULTIPLICATION SIGN}": "x",
        "\N{MIDDLE DOT}": ".",
        "\N{DOT OPERATOR}": ".",
        "\N{MINUS SIGN}": "-",
        "\N{EN DASH}": "-",
        "\N{EM DASH}": "-",
        "\N{HYPHEN}": "-",
        "\N{RIGHTWARDS ARROW}": "->",
        "\N{LESS-THAN OR EQUAL TO}": "<=",
        "\N{GREATER-THAN OR EQUAL TO}": ">=",
        "\N{LEFT SINGLE QUOTATION MARK}": "'",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{LEFT DOUBLE QUOTATION MARK}": "'",
        "\N{RIGHT DOUBLE QUOTATION MARK}": "'",
        "\N{LATIN SMALL LETTER SHARP S}": "ss",
    }
)


def _to_ascii(text: str) -> str:
    """Write `text` in printable ASCII: accents dropped, known signs spelled out, anything else a question mark."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_TRANSLITERATION))
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return "".join(char if " " <= char <= "~" else "?" for char in bare)


def free_text(text: str) -> str:
    r"""Return `text` as one line that is harmless in a C comment and in a Python docstring.

    The result is printable ASCII on one line, without comment marks (``*/``,
    ``/*``), backslashes (which could splice the next line into a comment),
    trigraphs (``??/`` is a backslash) and double quotes (three would end a
    docstring). What is not allowed is replaced, never dropped silently: marks
    are spaced apart, a backslash becomes ``|``, a double quote a single one, a
    control or unknown character ``?``. The function is idempotent.

    >>> free_text("a */ int evil(void); /* b")
    'a * / int evil(void); / * b'
    """
    line = _to_ascii(" ".join(text.split())).replace("\\", "|").replace('"', "'")
    while any(mark in line for mark in ("*/", "/*", "??")):
        line = line.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
    return " ".join(line.split())


_MOST_COMPARED = 5000  # comparing a misspelt id with 10^5 others would take seconds


def nearest(name: str, allowed: Iterable[str]) -> str | None:
    """Return the allowed name most like `name`, ignoring case, or None if none is like it."""
    found = nearest_few(name, allowed, count=1)
    return found[0] if found else None


def nearest_few(name: str, allowed: Iterable[str], *, count: int = 3, likeness: float = 0.6) -> tuple[str, ...]:
    """Return up to `count` allowed names that are like `name`, ignoring case, the nearest first.

    Parameters
    ----------
    likeness : of those that count as near, from 0 (nothing in common) to 1 (the same).
    """
    by_lower = {candidate.lower(): candidate for candidate in islice(allowed, _MOST_COMPARED)}
    found = get_close_matches(name[:100].lower(), list(by_lower), n=count, cutoff=likeness)
    return tuple(by_lower[each] for each in found)


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """Return ``; did you mean "X"?`` or, if no allowed name is near, an empty text."""
    found = nearest(name, allowed)
    return f'; did you mean "{found}"?' if found else ""
