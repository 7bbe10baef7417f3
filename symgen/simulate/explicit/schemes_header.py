"""The integrator's schemes as constants in C: the file ``transfer_schemes.h``."""

from __future__ import annotations

from symgen.simulate.explicit.schemes import EXPLICIT, ExplicitScheme
from symgen.simulate.tables.laws import literal

SCHEMES = "transfer_schemes.h"
_TABLES = ("nodes", "slopes", "fine", "coarse", "dense")
_COLUMNS = 4
_TITLES = {
    4: "Kutta's scheme of order 4, 1901: for steps of one length",
    8: "Dormand and Prince's of order 8(5,3), as of Hairer, Norsett, Wanner 1993, II.10: also for a tolerance",
}


def schemes_header(engine: str) -> str:
    """Return the text of ``transfer_schemes.h``; `engine` is the header that declares what a scheme is."""
    lines = ["/* The schemes of the integrator, see symgen_transfer_scheme. */", ""]
    lines += ["#ifndef SYMGEN_TRANSFER_SCHEMES_H", "#define SYMGEN_TRANSFER_SCHEMES_H", "", f'#include "{engine}"', ""]
    for order, title in _TITLES.items():
        lines += [f"/* {title}. */", *_scheme(f"symgen_transfer_order_{order}", EXPLICIT[order]), ""]
    return "\n".join([*lines, "#endif /* SYMGEN_TRANSFER_SCHEMES_H */", ""])


def _scheme(name: str, scheme: ExplicitScheme) -> list[str]:
    lines = []
    for table in _TABLES:
        texts = [literal(value) for value in getattr(scheme, table).reshape(-1).tolist()]
        rows = [", ".join(texts[k : k + _COLUMNS]) for k in range(0, len(texts), _COLUMNS)]
        lines += [
            f"static const double {name}_{table}[{len(texts)}] = {{",
            ",\n".join(f"    {row}" for row in rows),
            "};",
        ]
    held = ",\n    ".join(f"{name}_{table}" for table in _TABLES)
    lines += [f"static const symgen_transfer_scheme {name} = {{", f"    {scheme.stages}, {scheme.width}, {held}", "};"]
    return lines
